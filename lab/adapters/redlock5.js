// npm's redlock 5.0.0-beta.2: using().
'use strict';
require('./using.js')(require('redlock').default, require('ioredis'));
