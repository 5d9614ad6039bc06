/** A small project, always the same: what an agent works on in day.ts. */

/** Modules that use `loadUser`; `loadUserList` must survive a rename of it. */
const modules = Array.from({ length: 13 }, (_, index) => `src/pages/page${String(index + 1).padStart(2, '0')}.js`);

function page(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1, -'.js'.length);
  return `import { loadUser, loadUserList } from '../users.js';

export async function ${name}(id) {
  const user = await loadUser(id);
  const others = await loadUserList(user.team);
  return \`<h1>\${user.name}</h1><p>\${others.length} others</p>\`;
}
`;
}

const functions = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const name = `step${String(index + 1).padStart(3, '0')}`;
    return `export function ${name}(order) {\n  return { ...order, ${name}: order.total * ${String(index + 1)} };\n}\n`;
  }).join('\n');

/** Contents by path. */
export const project: Readonly<Record<string, string>> = {
  'package.json': '{\n  "name": "shop",\n  "version": "1.4.0",\n  "type": "module"\n}\n',
  '.gitignore': 'build/\n',
  'build/out.js': 'loadUser();\n',
  'README.md': '# Shop\n\nStart it with `node src/main.js`. It listens on port 8080.\n',
  'src/main.js': `import { createServer } from 'node:http';
import { settings } from './settings.js';

const server = createServer();
if (settings.ready) {
\tserver.listen(settings.port);
}
`,
  'src/settings.js': "export const settings = {\n  ready: true,\n  port: 8080,\n  currency: 'EUR',\n};\n",
  'src/users.js': `const users = new Map();

export async function loadUser(id) {
  return users.get(id);
}

export async function loadUserList(team) {
  return [...users.values()].filter((user) => user.team === team);
}
`,
  'src/price.js': 'export function price(net) {\n  return net * 1.19;\n}\n',
  'src/orders.js': functions(300),
  'src/legacy.js': 'export const legacy = true;\n',
  'windows/start.cmd': '@echo off\r\nnode src\\main.js\r\npause\r\n',
  ...Object.fromEntries(modules.map((path) => [path, page(path)])),
};
