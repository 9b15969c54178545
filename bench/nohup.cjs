// What everybody would write instead of `zwarm start`: the agent in the background, its output in a file.
const { spawn } = require('node:child_process');

spawn('sh', ['-c', 'nohup "$0" > "$1" 2>&1 < /dev/null &', process.argv[2] ?? '', process.argv[3] ?? '']);
