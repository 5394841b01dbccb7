import { expect } from 'chai'
import { goQuantity } from '../../../../src/schema/go/go-quantity.ts'

describe('fields of a resource.Quantity', () => {
  const cases: [string, unknown, number | undefined, string, string][] = [
    ['0', undefined, undefined, '0', 'DecimalSI'],
    ['100m', 100n, -3, '100m', 'DecimalSI'],
    ['-1500m', -1500n, -3, '-1500m', 'DecimalSI'],
    ['3e3', 3n, 3, '3e3', 'DecimalExponent'],
    ['2Gi', 2147483648n, 0, '2Gi', 'BinarySI'],
    ['200Mi', 209715200n, 0, '', 'BinarySI'],
    ['1.5Ki', 1536n, 0, '', 'BinarySI'],
  ]
  for (const [text, value, scale, s, format] of cases) {
    it(text, () => expect(goQuantity(text)).to.deep.equal({ ...(value !== undefined && { i: { value, scale } }), s, Format: format }))
  }
})
