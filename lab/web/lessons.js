// The lessons: schedules with two sentences each. `plan` is the text that the page's address has.
'use strict';

const lessons = [];
