/** A mounted file system. */
interface Mount {
  /** The path where it is mounted. */
  readonly point: string;
  /** Such as ext4. */
  readonly type: string;
}

/** @param mountinfo the contents of /proc/self/mountinfo; of several file systems at one place, the last is on top */
export function mountsIn(mountinfo: string): Mount[] {
  return mountinfo.split('\n').map((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [type = ''] = after.split(' ');
    return { point: unescaped(before.split(' ')[4] ?? ''), type };
  });
}

/** The kernel writes spaces, tabs, line breaks and backslashes of a path as three octal digits. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}
