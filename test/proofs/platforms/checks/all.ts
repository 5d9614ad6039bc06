/** The list of checks, the same on every platform. Each says itself where it does not apply. */
import './operations.js';
import './history.js';
import './fronts.js';
import './parallel.js';
import './spelling.js';
import './names.js';
import './held.js';
import './locks.js';
import './kills.js';
import './ends.js';
import './gone.js';
import './log.js';
