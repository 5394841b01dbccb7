import { expect } from 'chai'
import { FORMATS } from '../../../../src/schema/json-schema/formats.ts'

const table: Record<string, [good: string[], bad: string[]]> = {
  bsonobjectid: [['507f1f77bcf86cd799439011'], ['507f1f77bcf86cd79943901', 'x']],
  byte: [['aGVsbG8='], ['aGVsbG8', '', '%']],
  cidr: [
    ['10.0.0.0/8', 'fd00::/8'],
    ['10.0.0.0', '10.0.0.0/33'],
  ],
  creditcard: [
    ['4111 1111 1111 1111', '4111-1111-1111-1111'],
    ['4111111111111112', '1', '2223000048400011'],
  ],
  date: [
    ['2026-02-28', '2024-02-29'],
    ['2026-02-29', '2026-2-1', '20260201'],
  ],
  datetime: [
    ['2026-01-02T03:04:05Z', '2026-01-02t03:04:05.123+01:00'],
    ['2026-01-02', '2026-01-02T24:00:00Z', '2026-01-02T03:04:05'],
  ],
  duration: [
    ['1h2m', '3 days', '22 ns'],
    ['', 'soon', '3 moons', '9223372036854775808ns'],
  ],
  email: [
    ['a@b.c', '<a@b.c>', 'A B <a@b.c>', '"A, B" <a@b.c>', 'a@b.c (x)', '"a b"@c.d', 'a@[192.0.2.1]', ' a@b.c ', 'x: a@b.c;', 'é@ü.c'],
    [
      'a',
      '@b',
      'a b@c',
      '',
      'a@b..c',
      '.a@b.c',
      'a.@b.c',
      'a@b.c>',
      '<a@b.c',
      'a@b.c, d@e.f',
      'x:;',
      '""@b.c',
      'a@b.c (x',
      '(c)a@b.c',
      'a@[x]',
      'a\u0000@b.c',
    ],
  ],
  hexcolor: [
    ['#fff', 'A1B2C3'],
    ['#ffff', 'red'],
  ],
  hostname: [
    ['example.com', 'a'],
    ['', '-a', `${'a'.repeat(64)}.com`],
  ],
  ipv4: [['192.0.2.1'], ['192.0.2', 'fd00::1']],
  ipv6: [
    ['fd00::1', '::'],
    ['192.0.2.1', 'g::', '::00001'],
  ],
  isbn: [['0321751043', '978-0321751041'], ['0321751044']],
  isbn10: [['0321751043'], ['978-0321751041']],
  isbn13: [['978-0321751041'], ['0321751043']],
  mac: [
    ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '0123.4567.89ab'],
    ['01:23:45:67:89', '01:23-45:67:89:ab', '0123456789ab'],
  ],
  password: [['', 'anything'], []],
  rgbcolor: [
    ['rgb(0,128,255)', 'rgb( 1 , 2 , 3 )'],
    ['rgb(256,0,0)', 'rgb(1,2)'],
  ],
  ssn: [
    ['123-45-6789', '123 45 6789'],
    ['12-345-6789', '123456789', '123-456789'],
  ],
  k8sshortname: [
    ['a', 'a-1', 'a'.repeat(63)],
    ['A', 'a.b', '-a', '', 'a'.repeat(64)],
  ],
  k8slongname: [
    ['a.b-1', 'a', `${'a'.repeat(100)}.b`],
    ['A', 'a_b', 'a..b', '', 'a'.repeat(254)],
  ],
  uri: [
    [
      'https://example.com/a?b',
      '/path',
      'urn:x',
      'https://a/b c',
      '/a b',
      'https:',
      '*',
      'https://a:80',
      'https://[fd00::1]:1',
      'https://u:p@a',
      '//a b',
      'https://a?b c',
    ],
    [
      'example',
      '',
      'https://a/%zz',
      'a b',
      'https://a b',
      'https://a#b c',
      'https://a:x',
      'https://[fd00::1',
      'https://[a]',
      'https://a%20b',
      'https://u v@a',
      'https://a|b',
    ],
  ],
  uuid: [['507f1f77-bcf8-1cd7-9943-9011507f1f77', '507F1F77BCF86CD799439011507F1F77'], ['507f1f77']],
  uuid3: [['507f1f77-bcf8-3cd7-9943-9011507f1f77'], ['507f1f77-bcf8-4cd7-9943-9011507f1f77']],
  uuid4: [['507f1f77-bcf8-4cd7-9943-9011507f1f77'], ['507f1f77-bcf8-4cd7-c943-9011507f1f77']],
  uuid5: [['507f1f77-bcf8-5cd7-a943-9011507f1f77'], ['507f1f77-bcf8-3cd7-9943-9011507f1f77']],
}

describe('formats of strings', () => {
  it('are all covered', () => expect([...FORMATS.keys()].sort()).to.deep.equal(Object.keys(table).sort()))
  for (const [format, [good, bad]] of Object.entries(table)) {
    it(format, () => {
      const check = FORMATS.get(format) as (text: string) => boolean
      expect(good.filter(text => !check(text))).to.deep.equal([])
      expect(bad.filter(check)).to.deep.equal([])
    })
  }
})
