// The words of each lock: its messages, its states, and the rules that a visitor can leave out.
'use strict';

const words_of_all = [
  ['token', 'the number of a hold and the name of its master: 2.m1 is higher than 1.m3, and 1.m2 is higher than 1.m1'],
  ['Fence', 'a new holder that may not be the only one, as after a start or a death, shows the worker its token'],
  ['Promise of the worker', 'from now on it refuses lower tokens, in a Write and in a Fence: Refusal'],
  ['Write, Done', 'the order of a room, and the answer'],
  ['Hello', 'the first message of a link: what this master wants or holds'],
];

const words_of_lock = {
  'none': [['acquired', 'each master grants itself the lock at once']],
  'multiphase': [
    ['MyLock(n)', '“may I have the lock?”; n counts the questions of this master: the round'],
    ['YourLock(n)', '“yes” to question n; an answer to an older question is ignored'],
    ['LockReset(n)', '“I no longer ask”: the master has released the lock, or has given up'],
    ['soliciting', 'the master has asked all others; it says yes only to a lower name, and lets the others wait'],
    ['lurking', 'the master wants the lock, but others ask already. It has not asked, so it says yes to all. It asks when all of them have sent a LockReset: the gated reset'],
    ['acquired', 'all others have said yes'],
    ['tie', 'of two masters that ask, the one with the lower name gets the yes: m1 before m2'],
  ],
  'lamport': [
    ['Request(n)', 'goes to all and joins the queue of each master; n is its time'],
    ['Reply', '“I have seen your request”; every later request of this master is behind it'],
    ['Release', 'the request leaves all queues'],
    ['acquired', 'all have replied, and the own request is the first in the queue'],
  ],
  'ricart-agrawala': [
    ['Request(n)', '“may I have the lock?”; n is its time'],
    ['Reply(n)', '“yes”; a master that holds the lock, or asked earlier, says it only after its hold: deferral'],
    ['acquired', 'all others have said yes'],
  ],
  'carvalho-roucairol': [
    ['Request(n)', '“may I have the lock?”; n is its time; goes only to the masters that have asked since the last hold'],
    ['Reply(n)', '“yes, until I ask you”; a master that holds the lock, or asked earlier, says it only after its hold'],
    ['acquired', 'all others have said yes, now or before'],
  ],
  'suzuki-kasami': [
    ['Request(n)', '“may I have the token?”; goes to all, and n counts the requests of this master'],
    ['Token(n)', 'answers request n; only the master that has the token may hold the lock'],
    ['Elect', 'the sender knows of no token and wants to make one'],
    ['Promise of a master', '“make one; I refuse any older token”; a master that holds the lock says it only after its hold'],
    ['Behind', '“I have promised a higher number”; the sender of Elect tries again'],
    ['keeping', 'the master has the token and no other master waits; its next hold costs no message, or one Elect if it has shown the worker its token since'],
  ],
  'naimi-trehel': [
    ['Request(n)', '“may I have the token?”; goes to the probable last master of the queue, which may forward it'],
    ['Token', 'goes to the next master of the queue; only the master that has the token may hold the lock'],
    ['Elect', 'the sender knows of no token and wants to make one'],
    ['Promise of a master', '“make one; I leave the old tree, and you are my last now”; a master that holds the lock says it only after its hold'],
    ['Behind', '“I have promised a higher number”, or “the tree with this number is over”'],
    ['keeping', 'the master has the token and no other master waits; its next hold costs no message, or one Elect if it has shown the worker its token since'],
  ],
  'raymond': [
    ['Request(n)', '“may a master on my side have the token?”; goes to the neighbour in the tree in whose direction the token is'],
    ['Token', 'goes to the neighbour that asked first, which may pass it on; only the master that has the token may hold the lock'],
    ['Elect', 'the sender knows of no token and wants to make one'],
    ['Promise of a master', '“make one; I leave the old tree and point toward you”; a master that holds the lock says it only after its hold'],
    ['Behind', '“I have promised a higher number”, or “the tree with this number is over”'],
    ['keeping', 'the master has the token and no other master waits; its next hold costs no message, or one Elect if it has shown the worker its token since'],
  ],
  'maekawa': [
    ['Request', 'goes to a quorum: some masters, of which any two quorums share one'],
    ['Locked', 'the only vote of this master'],
    ['Failed', 'the vote is with another request, which goes first'],
    ['Inquire, Relinquish', 'a voter asks for its vote back for an earlier request, and gets it'],
    ['acquired', 'all votes of the quorum are there'],
  ],
  'tree-quorum': [
    ['Request', 'goes to a path of the tree from its root, m1, to a leaf; any two paths share a master'],
    ['Locked', 'the only vote of this master'],
    ['Failed', 'the vote is with another request, which goes first'],
    ['Inquire, Relinquish', 'a voter asks for its vote back for an earlier request, and gets it'],
    ['acquired', 'all votes of a path are there; below a master that is away, two paths replace it'],
  ],
  'coordinator': [
    ['Request, Grant, Release', 'the live master with the lowest number hands out the lock, first come, first served'],
    ['lease', 'a grant ends by itself after some time; a new coordinator waits until all leases are over'],
  ],
  'two-phase': [
    ['Prepare, Yes, No', 'a proposal to hold the lock; each master says yes to one proposal at a time'],
    ['Commit, Ack, Abort', 'all said yes, or one said no'],
  ],
};

const rules_of_all = ['hello', 'split fence', 'ordered links'];
const rules_of_lock = {
  'multiphase': ['rounds', 'gated reset'], 'lamport': ['all answers', 'first', 'late answer'],
  'ricart-agrawala': ['rounds', 'deferral'], 'carvalho-roucairol': ['rounds', 'deferral', 'given back'],
  'suzuki-kasami': ['rounds', 'all answers', 'deferral', 'promise kept', 'token ends', 'lost pass',
    'new token fence'],
  'naimi-trehel': ['rounds', 'all answers', 'deferral', 'promise kept', 'token ends', 'lost pass', 'new token fence'],
  'raymond': ['rounds', 'all answers', 'deferral', 'promise kept', 'token ends', 'new token fence'],
  'maekawa': ['one vote', 'vote kept', 'restart wait'],
  'tree-quorum': ['one vote', 'vote kept', 'restart wait', 'both paths'],
  'coordinator': ['lease wait', 'own coordinator'], 'two-phase': ['one vote'], 'none': [],
};
const rule_words = {
  'hello': 'a new master waits for the Hello of every other one before its first hold',
  'split fence': 'in a split mesh every holder shows the worker its token first',
  'ordered links': 'messages of a link never overtake each other',
  'rounds': 'an answer counts only for the question that it names',
  'gated reset': 'a lurking master asks only when no other master asks any more',
  'all answers': 'every other master must reply',
  'first': 'only the first in the queue may hold',
  'late answer': 'a holder replies to an earlier request only after its hold',
  'deferral': 'a master that holds, or asked earlier, says yes only after its hold',
  'given back': 'a master that says yes needs a new yes of the same master for itself',
  'one vote': 'a master votes for one candidate at a time',
  'vote kept': 'a vote survives a broken link',
  'restart wait': 'a voter that has forgotten its vote waits before it votes',
  'both paths': 'two paths, one below each child, replace a master that is away',
  'lease wait': 'a new coordinator waits until all leases are over',
  'own coordinator': 'only the grant of the present coordinator counts',
  'promise kept': 'a master refuses a token that is older than its promise',
  'lost pass': 'a master replaces the token when the master dies to which it passed it',
  'new token fence': 'the first holder of a new token shows the worker its token first',
  'token ends': 'a token ends when a master comes up that has not promised it',
};

// A lock without an entry, such as a new one, has the words of all locks.
const words_for = lock => [...words_of_lock[lock] ?? [], ...lock === 'none' ? [] : words_of_all];
const rules_for = (lock, all) =>
  lock in rules_of_lock ? all.filter(rule => [...rules_of_lock[lock], ...rules_of_all].includes(rule)) : all;
