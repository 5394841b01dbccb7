import { expect } from 'chai'
import { growthOf } from '../../../hack/support/regexp-growth.ts'

const linear: RegExp[] = [
  /a/,
  /^a*$/,
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  /^[^:]*:(.*)$/,
  /(?<!\d)\d+$/,
  /a+/g,
  /"(?:[^"\\]|\\.)*"?/gs,
  /#.*/,
  /^[ \t]*key:(.*)/m,
  /(?<=\n|^)a*b/,
  /(?:%[0-9a-f]{2})+/g,
  /\w+:/y,
  /^(?:a|b)(?=c*d)/,
  /^\d{1,16}x$/,
  /-----BEGIN ([^-]*)-----/g,
]

const superlinear: [RegExp, RegExp][] = [
  [/0+$/, /quadratic/],
  [/\/+$/, /quadratic/],
  [/\s+$/, /quadratic/],
  [/^\/+|\/+$/g, /quadratic/],
  [/^([+-]?)(0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/, /quadratic/],
  [/^(.*),(.*)$/, /quadratic/],
  [/"(?:[^"\\]|\\.)*"/, /quadratic/],
  [/^(?:ab)*(?:ab)*$/, /quadratic/],
  [/"\s*\n\s*:/, /quadratic/],
  [/.(?=.*x)/, /quadratic/],
  [/^(?:x(?=.*y))*$/, /quadratic/],
  [/^(a+)+$/, /exponential/],
  [/^(?:a|a)*$/, /exponential/],
  [/^(?:a?b?)*$/, /exponential/],
  [/^(?:\\.?|[^"])*$/, /exponential/],
  [/^(a*)\1$/, /cannot be analysed: \\1/],
  [/(?<=a+)b/, /cannot be analysed: look-behind of unbounded length/],
]

describe('the growth of regular expressions', () => {
  for (const { source, flags } of linear)
    it(`reports that /${source}/${flags} is linear`, () => expect(growthOf(source, flags)).to.equal(undefined))
  for (const [{ source, flags }, growth] of superlinear)
    it(`reports that /${source}/${flags} is not linear`, () => expect(growthOf(source, flags)).to.match(growth))
})
