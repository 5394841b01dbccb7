import { expect } from 'chai'
import { fieldErrorText } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import {
  addressNumber,
  cidrFault,
  cidrWarnings,
  ipFault,
  ipWarnings,
  isGlobalUnicast,
  isIPv6,
  numberedAddress,
  parseCidr,
  parseIp,
  printCidr,
  printIp,
  validateCidrStrict,
  validateIpStrict,
} from '../../../src/meta/ip.ts'

describe('isGlobalUnicast', () => {
  for (const text of ['10.0.0.1', '192.168.1.1', '8.8.8.8', '169.253.0.1', '240.0.0.1', 'fd00::1', '2001:db8::1', 'fec0::1', '::2'])
    it(`accepts ${text}`, () => expect(isGlobalUnicast(parseIp(text) as Uint8Array)).to.equal(true))
  for (const text of [
    '0.0.0.0',
    '255.255.255.255',
    '127.0.0.1',
    '127.1.2.3',
    '224.0.0.1',
    '239.1.1.1',
    '169.254.169.254',
    '::',
    '::1',
    'ff02::1',
    'fe80::1',
    'febf::1',
  ])
    it(`rejects ${text}`, () => expect(isGlobalUnicast(parseIp(text) as Uint8Array)).to.equal(false))
})

describe('addresses', () => {
  const addresses: Record<string, string | undefined> = {
    '10.0.0.1': '10.0.0.1',
    '010.000.0.01': '10.0.0.1',
    '::': '::',
    '::1': '::1',
    '2001:DB8:0:0:1:0:0:1': '2001:db8::1:0:0:1',
    '1:0:2:0:3:0:4:0': '1:0:2:0:3:0:4:0',
    'fe80::': 'fe80::',
    '::ffff:1.2.3.4': '1.2.3.4',
    '64:ff9b::1.2.3.4': '64:ff9b::102:304',
    '256.1.1.1': undefined,
    '1.2.3': undefined,
    '': undefined,
    ':::': undefined,
    '1::2::3': undefined,
    '1:2:3:4:5:6:7': undefined,
    '1:2:3:4:5:6:7::8': undefined,
    '[::1]': undefined,
    'fe80::1%eth0': undefined,
    '1.2.3.4::': undefined,
    '12345::': undefined,
  }
  for (const [text, printed] of Object.entries(addresses)) {
    it(`${text} → ${printed}`, () => {
      const ip = parseIp(text)
      expect(ip && printIp(ip)).to.equal(printed)
      expect(ipFault(text, false)).to.equal(
        printed === undefined ? 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)' : undefined,
      )
    })
  }

  const ranges: Record<string, string | undefined> = {
    '10.0.0.0/16': '10.0.0.0/16',
    '10.1.2.3/8': '10.0.0.0/8',
    '10.1.2.3/0': '0.0.0.0/0',
    'fd00:10:244::1/63': 'fd00:10:244::/63',
    '::/128': '::/128',
    '10.0.0.0/33': undefined,
    '10.0.0.0': undefined,
    '10.0.0.0/': undefined,
    '::/129': undefined,
  }
  for (const [text, printed] of Object.entries(ranges)) {
    it(`${text} → ${printed}`, () => {
      const cidr = parseCidr(text)
      expect(cidr && printCidr(cidr)).to.equal(printed)
      expect(cidrFault(text, false)).to.equal(
        printed === undefined ? 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)' : undefined,
      )
    })
  }

  it('returns the family of an address', () => {
    expect([isIPv6('::1'), isIPv6('1.2.3.4'), isIPv6('::ffff:1.2.3.4'), isIPv6('x')]).to.deep.equal([true, false, false, false])
  })

  const path = fieldPath('spec', 'ip')
  it('requires the canonical form in strict fields', () => {
    const address = (text: string) => validateIpStrict(path, text).map(fieldErrorText)
    expect(address('10.0.0.1')).to.deep.equal([])
    expect(address('10.0.0.01')).to.deep.equal(['spec.ip: Invalid value: "10.0.0.01": must not have leading 0s'])
    expect(address('::ffff:1.2.3.4')).to.deep.equal(['spec.ip: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address'])
    expect(address('2001:DB8::1')).to.deep.equal(['spec.ip: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")'])
    const range = (text: string) => validateCidrStrict(path, text).map(fieldErrorText)
    expect(range('10.0.0.0/8')).to.deep.equal([])
    expect(range('10.0.0.1/8')).to.deep.equal(['spec.ip: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length'])
    expect(range('10.0.0.0/08')).to.deep.equal(['spec.ip: Invalid value: "10.0.0.0/08": must not have leading 0s in IP or prefix length'])
  })

  it('warns of legacy forms in old fields', () => {
    expect(ipWarnings(path, '010.0.0.1')).to.deep.equal([
      'spec.ip: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
    ])
    expect(ipWarnings(path, '2001:DB8::1')).to.deep.equal([
      'spec.ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ])
    expect(ipWarnings(path, '10.0.0.1')).to.deep.equal([])
    expect(cidrWarnings(path, '10.1.0.0/8')).to.deep.equal([
      'spec.ip: CIDR value "10.1.0.0/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.0.0/32"?)',
    ])
  })
})

describe('the number of an address', () => {
  for (const [text, number, family] of [
    ['10.0.1.2', 0x0a000102n, 4],
    ['255.255.255.255', 0xffffffffn, 4],
    ['::1', 1n, 6],
    ['fd00::1:0', (0xfd00n << 112n) | 0x10000n, 6],
  ] as const)
    it(`has the bits of ${text}, and gives the address back`, () => {
      const ip = parseIp(text)
      expect(ip && addressNumber(ip)).to.equal(number)
      expect(printIp(numberedAddress(number, family))).to.equal(text)
    })
})
