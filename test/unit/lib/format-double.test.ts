import { expect } from 'chai'
import { formatDouble, plainDouble } from '../../../src/lib/format-double.ts'

/** Expected texts are those of Go's strconv.FormatFloat with 'g' and 'f'. */
const CASES: readonly [value: number, formatted: string, plain: string][] = [
  [0, '0', '0'],
  [-0, '-0', '-0'],
  [1.5, '1.5', '1.5'],
  [-120, '-120', '-120'],
  [999_999, '999999', '999999'],
  [1_000_000, '1e+06', '1000000'],
  [1_234_567.5, '1.2345675e+06', '1234567.5'],
  [0.0001, '0.0001', '0.0001'],
  [0.000012, '1.2e-05', '0.000012'],
  [1e21, '1e+21', '1000000000000000000000'],
  [1e-100, '1e-100', `0.${'0'.repeat(99)}1`],
  [Number.NaN, 'NaN', 'NaN'],
  [Number.POSITIVE_INFINITY, '+Inf', '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf', '-Inf'],
]

describe('formatDouble and plainDouble', () => {
  for (const [value, formatted, plain] of CASES)
    it(`format ${formatted} like Go`, () => expect([formatDouble(value), plainDouble(value)]).to.deep.equal([formatted, plain]))
})
