import { expect } from 'chai'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { fieldPath } from '../../../../../src/meta/field-path.ts'
import { isInvalidCaBundle, validateCaBundle } from '../../../../../src/resources/apiextensions/custom-resource-definition/ca-bundle.ts'
import { issueCertificate } from '../../../../support/certificates.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const block = (body: string, label = 'CERTIFICATE'): string => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`
const bodiesOf = (text: string): string[] => runAtOnce(validateCaBundle(base64(text), fieldPath('x'))).map(({ body }) => body)

describe('the CA bundle of a conversion webhook', () => {
  it('contains a certificate, beside blocks of any kind', async () => {
    const { cert } = await issueCertificate({ subject: [{ CN: ['root'] }], isAuthority: true })
    expect(bodiesOf(`${block('AAAA')}text${block('AAAA', 'KEY')}${cert}`)).to.deep.equal([])
    expect(bodiesOf('x')).to.deep.equal([
      'Invalid value: []byte{0x78}: unable to load root certificates: unable to parse bytes as PEM block',
    ])
    for (const [text, why] of [
      [block('AAAA', 'KEY'), 'no valid certificate authority data seen'],
      [block('AAAA'), 'failed to parse certificate'],
    ] as const) {
      const [body] = bodiesOf(text)
      expect(body).to.match(/^Invalid value: \[\]byte\{0x2d, .*, 0xa\}: unable/)
      expect(body).to.include(`unable to load root certificates: ${why}`)
    }
  })

  it('is validated in steps, and equal certificates once', () => {
    const many = base64(Array.from({ length: 1000 }, (_, i) => block(String(1000 + i))).join(''))
    const checked = countedSteps(isInvalidCaBundle(many))
    expect(checked).to.deep.equal({ result: true, yields: 1000 })
    const { result, yields } = countedSteps(validateCaBundle(many, fieldPath('x')))
    expect(result).to.have.length(1)
    // Each certificate, and each 8,192 of the bytes that the error prints.
    expect(yields).to.equal(1000 + Math.ceil(Buffer.byteLength(many, 'base64') / 8192))
    expect(countedSteps(isInvalidCaBundle(base64(block('AAAA').repeat(1000))))).to.deep.equal({ result: true, yields: 1 })
  })

  it('may be absent or empty', () => {
    for (const bundle of [undefined, '']) expect(runAtOnce(isInvalidCaBundle(bundle))).to.equal(false)
  })
})
