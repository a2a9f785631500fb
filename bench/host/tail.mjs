/** What somebody writes who needs the last `most` bytes of a stream: a list of pieces that loses its oldest ones. */
export function keepTail(most) {
  const pieces = [];
  let [bytes, held] = [0, 0];
  return {
    push(piece) {
      pieces.push(piece);
      bytes += piece.length;
      held += piece.length;
      while (held - pieces[0].length >= most) held -= pieces.shift().length;
    },
    get bytes() { return bytes; },
  };
}
