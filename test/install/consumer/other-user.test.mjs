import './user.test.mjs';
