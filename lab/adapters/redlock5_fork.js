// npm's @sesamecare-oss/redlock, a fork of redlock 5: using().
'use strict';
require('./using.js')(require('@sesamecare-oss/redlock').Redlock, require('ioredis'));
