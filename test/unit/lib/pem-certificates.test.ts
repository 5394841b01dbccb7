import { expect } from 'chai'
import { endsWithinCertificate, pemCertificates } from '../../../src/lib/pem-certificates.ts'

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'
const [one, two] = [`${BEGIN}\nMQ==\n${END}`, `${BEGIN}\nMg==\n${END}`]

describe('certificates of a text', () => {
  const cases: Readonly<Record<string, readonly [text: string, certificates: readonly string[], isCut: boolean]>> = {
    none: ['', [], false],
    one: [one, [one], false],
    'two with words between them': [`a\n${one}\nb\n${two}\nc`, [one, two], false],
    'a last one without an end': [`${one}\n${BEGIN}\nMg==`, [one], true],
    'one without an end': [BEGIN, [], true],
    'an end alone': [END, [], false],
    'an end before a beginning': [`${END}${BEGIN}`, [], true],
    'keys beside them': [`-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n${two}`, [two], false],
    'two beginnings': [`${BEGIN}${one}`, [`${BEGIN}${one}`], false],
  }
  for (const [what, [text, certificates, isCut]] of Object.entries(cases))
    it(what, () => expect([pemCertificates(text), endsWithinCertificate(text)]).to.deep.equal([certificates, isCut]))
})
