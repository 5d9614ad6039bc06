/** The JSON bytes of a result member, in one piece or several; none if it is a value. */
export function jsonPieces(member: unknown): readonly Uint8Array[] {
  if (member instanceof Uint8Array) return [member];
  return Array.isArray(member) && member[0] instanceof Uint8Array
    ? member.filter((piece) => piece instanceof Uint8Array)
    : [];
}
