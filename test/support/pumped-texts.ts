/**
 * A text that an expression with competing parts repeats itself over: one piece many times between a beginning that the
 * expression accepts and an end that it does not. A text without the wrong end matches at once, and one with a wrong
 * beginning is refused at once.
 */
export interface PumpedText {
  readonly before: string
  readonly piece: string
  readonly after: string
}

/**
 * Pieces of the values that an API server reads: names, numbers, quantities, durations, times, addresses, paths,
 * selectors, schedules, expressions, encodings, certificates.
 */
const PIECES = [
  ...[
    '0',
    '1',
    '9',
    'a',
    'A',
    '.',
    '-',
    '_',
    '/',
    ':',
    ',',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '=',
    '!',
    '%',
    '\\',
    '"',
    "'",
    '`',
    '~',
    '$',
    '*',
    '?',
    '+',
    '|',
    '^',
    '#',
    '@',
    '&',
    '<',
  ],
  ...['(', '[', '{', ')', ']', '}', '()', '[]', '{}', '((', '[[', '{{'],
  ...['a.', '.a', 'a-', '-a', 'a/', '/a', './', '../', '//', '1.', '.1', '0.', '1e', '1E1', '+1', '-1', '1,', '1-', '*/', '1/'],
  ...['1h', '0h', '1.0s', '1ms', '00:', '0:', '::', '1:', 'f:', '1.1.', '0/', '10', '01'],
  ...['=,', 'a,', 'a=b,', '!a,', 'a!=', '==', 'a in (', 'in ', 'notin (', 'a=\\,'],
  ...['%25', '%2', '%%', '\\\\', '\\/', '\\"', '\\u0041', '~1', '~0', '/0', '&amp;', '&#', '<a ', '\\(', '\\{'],
  ...['$(', '$(A)', '$$', '$$(', '{.a}', '[*]', '..a', '[?(', '@.a', 'a[0].', "['a']", '[a-', '(a', '(a*)*', 'a{1,'],
  ...[
    'true',
    'null',
    'QUFB',
    'QQ==',
    'eyJ',
    'sha256:',
    'http://',
    'system:',
    '-----BEGIN CERTIFICATE-----\n',
    '-----',
    'AAAA\n',
    'a: ',
    '- ',
    'a@',
    'a;',
    ';q=1',
    ', a',
  ],
  ...['\u0301', 'é', '😀', '\u0000', '\u0001', '\u2028', '\u212a', '\u0130', '\ud800', '\ufffd', '１'],
]

/** Ends that fit no piece, and one that fits digits alone. */
const ENDS = ['x', '!', '', '\n', '1', ' ', '\u0000', 'é', '=', '.']

/** Beginnings after which a value of some type is read further. */
const BEGINNINGS = [
  '',
  '1',
  'a',
  '/',
  '[',
  '{',
  '{.',
  'http://',
  'a/',
  'a=',
  '1.',
  '@every ',
  '0 0 ',
  '2026-01-02T03:04:05.',
  '10.0.0.',
  '::',
  '^',
  'sha256:',
  '-----BEGIN CERTIFICATE-----\n',
  '"',
  '{"a":"',
  'a@sha256:',
  '-',
  '+',
  'P',
  'Bearer ',
  'system:',
]

/** Every piece, each `times` with another beginning and end. Seeds go round all of them. */
export function pumpedTexts(seed: number, times = 1): PumpedText[] {
  return PIECES.flatMap((piece, i) =>
    Array.from({ length: times }, (_, time) => {
      const turn = seed + i + time * 7
      // The first three ends and no beginning are the ones that most expressions take longest for.
      return {
        before: BEGINNINGS[(turn % 3 === 0 ? 0 : turn) % BEGINNINGS.length] as string,
        piece,
        after: ENDS[(turn % 2 === 0 ? turn % 3 : turn) % ENDS.length] as string,
      }
    }),
  )
}

/** The text with as many pieces as fit into so many characters. */
export function pumped({ before, piece, after }: PumpedText, length: number): string {
  const room = length - before.length - after.length
  return before + piece.repeat(Math.max(1, Math.floor(room / piece.length))) + after
}

export const pumpedName = ({ before, piece, after }: PumpedText): string => JSON.stringify(`${before}(${piece})*${after}`)
