import { expect } from 'chai'
import {
  addQuantity,
  canonicalQuantity,
  compareQuantity,
  quantityMilliValue,
  quantityValue,
  roundUpQuantity,
} from '../../../src/meta/quantity.ts'

describe('quantities', () => {
  describe('canonical text', () => {
    const cases: Record<string, string> = {
      '0': '0',
      '-': '0',
      '0Mi': '0',
      '1': '1',
      '1.5': '1500m',
      '.5': '500m',
      '1000': '1k',
      '1000m': '1',
      '1024': '1024',
      '2000k': '2M',
      '12E': '12E',
      '1024Mi': '1Gi',
      '1536Mi': '1536Mi',
      '1.5Gi': '1536Mi',
      '0.1Ki': '102400m',
      '1000000Ki': '1000000Ki',
      '-0.5Gi': '-512Mi',
      '0.5Mi': '512Ki',
      '1e3': '1e3',
      '1E6': '1E6',
      '1e4': '10e3',
      '100000n': '100u',
      '0.0000000001': '1n',
      '-0.0000000001': '-1n',
      // More than 64 bits can hold.
      '16Ei': '9223372036854775807',
      '123456789012345678901234567890': '123456789012345678901234567890',
      // Nearly canonical text is kept.
      '+5': '+5',
      '1.500': '1.500',
      '007': '007',
      '1e99999': '1e99999',
    }
    for (const [text, canonical] of Object.entries(cases))
      it(`${text} → ${canonical}`, () => expect(canonicalQuantity(text)).to.equal(canonical))
  })

  it('accepts numbers and surrounding white space', () => {
    expect(canonicalQuantity(1.5)).to.equal('1500m')
    expect(canonicalQuantity(12345678901234567890n)).to.equal('12345678901234567890')
    expect(canonicalQuantity(' 1Gi\n')).to.equal('1Gi')
  })

  describe('rejects', () => {
    const format = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    const suffix = "unable to parse quantity's suffix"
    const cases: Record<string, string> = {
      '': format,
      a: format,
      '1 Gi': format,
      '1,5': format,
      '1.2.3': format,
      '1KiB': format,
      '١': format,
      '1i': suffix,
      '1Ki5': suffix,
      '--1': suffix,
      '1e': suffix,
    }
    for (const [text, message] of Object.entries(cases)) {
      it(JSON.stringify(text), () => {
        expect(() => canonicalQuantity(text)).to.throw(message)
      })
    }
  })

  it('compares without writing out large powers', () => {
    expect(compareQuantity('1Gi', '1024Mi')).to.equal(0)
    expect(compareQuantity('1e2000000000', '5')).to.equal(1)
    expect(compareQuantity('-1e2000000000', '-5')).to.equal(-1)
    expect(compareQuantity('1.500', '1500m')).to.equal(0)
    expect(compareQuantity('1', undefined)).to.equal(1)
    expect(compareQuantity('-1m', 0)).to.equal(-1)
    expect(compareQuantity('10k', '9999')).to.equal(1)
  })

  it('adds in the format of the first summand', () => {
    expect(addQuantity('1Gi', '512Mi')).to.equal('1536Mi')
    expect(addQuantity('0', '1Gi')).to.equal('1Gi')
    expect(addQuantity('500m', '1')).to.equal('1500m')
    expect(addQuantity('1', '-1500m')).to.equal('-500m')
  })

  it('rejects texts of more than 256 characters', () => {
    expect(canonicalQuantity(`1${'0'.repeat(254)}1`)).to.equal(`1${'0'.repeat(254)}1`)
    for (const text of [`${'0'.repeat(1600)}x`, `1${'0'.repeat(255)}1`, '9'.repeat(2800)]) {
      expect(() => canonicalQuantity(text)).to.throw('unable to parse numeric part of quantity')
    }
  })

  it('adds without writing out large powers: a sum of very many digits is its larger summand', () => {
    expect(addQuantity('1e99999', '1')).to.equal('1e99999')
    expect(addQuantity('1', '-1e3000')).to.equal('-1e3000')
    expect(addQuantity('1e99', '1')).to.equal(`1${'0'.repeat(98)}1`)
    let sum = '0'
    for (let exponent = 6000; exponent > 0; exponent -= 30) sum = addQuantity(sum, `1e${exponent}`)
    expect(sum.length).to.be.below(256)
  })

  it('returns integers, rounded up', () => {
    expect(quantityValue('1500m')).to.equal(2n)
    expect(quantityValue('-1500m')).to.equal(-2n)
    expect(quantityValue('8191Pi')).to.equal(8191n << 50n)
    expect(quantityValue('16Ei')).to.equal((1n << 63n) - 1n)
    // Overflows as in Go.
    expect(quantityValue('1e99')).to.equal(0n)
    expect(quantityMilliValue('-99Ei')).to.equal(1000n)
    expect(quantityMilliValue('0.0001')).to.equal(1n)
  })

  it('rounds up to thousandths, and keeps coarser quantities', () => {
    expect(roundUpQuantity('100500u', -3)).to.equal('101m')
    expect(roundUpQuantity('1.500', -3)).to.equal('1.500')
    expect(roundUpQuantity('1Gi', -3)).to.equal('1Gi')
  })
})
