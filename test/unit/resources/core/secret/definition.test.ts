import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect } from 'chai'
import { distinguishedName, signCertificate } from '../../../../../src/lib/certificate-writer.ts'
import { isSteps } from '../../../../../src/lib/steps.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { secretResource } from '../../../../../src/resources/core/secret/definition.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const typed = (type: string, data: Record<string, string> = {}): object => ({
  type: `kubernetes.io/${type}`,
  data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
})
const frozen = { immutable: true, data: { a: 'MQ==' } }

describe('secrets', () => {
  validates(
    secretResource,
    {
      good: [{ data: { a: 'MQ==' } }, []],
      'a bad key': [{ data: { 'a*b': '' } }, ['Invalid data[a*b]']],
      'too much, once decoded': [{ data: { a: Buffer.alloc(1024 * 1024 + 1).toString('base64') } }, ['TooLong data']],
      'the maximum size': [{ data: { a: Buffer.alloc(1024 * 1024).toString('base64') } }, []],
      'dockercfg missing': [typed('dockercfg'), ['Required data[.dockercfg]']],
      'dockercfg empty': [typed('dockercfg', { '.dockercfg': '' }), ['Invalid data[.dockercfg]']],
      'dockercfg no object': [typed('dockercfg', { '.dockercfg': '[]' }), ['Invalid data[.dockercfg]']],
      'dockercfg null': [typed('dockercfg', { '.dockercfg': 'null' }), []],
      'dockerconfigjson good': [typed('dockerconfigjson', { '.dockerconfigjson': '{"auths":{}}' }), []],
      'dockerconfigjson bad': [typed('dockerconfigjson', { '.dockerconfigjson': 'bad' }), ['Invalid data[.dockerconfigjson]']],
      'basic-auth neither': [typed('basic-auth'), ['Required data[username]', 'Required data[password]']],
      'basic-auth one, empty': [typed('basic-auth', { username: '' }), []],
      'ssh-auth empty': [typed('ssh-auth', { 'ssh-privatekey': '' }), ['Required data[ssh-privatekey]']],
      'tls one missing': [typed('tls', { 'tls.crt': '' }), ['Required data[tls.key]']],
      'token without account': [typed('service-account-token'), ['Required metadata.annotations[kubernetes.io/service-account.name]']],
      'token with account': [typed('service-account-token'), [], { annotations: { 'kubernetes.io/service-account.name': 'a' } }],
      'a type of its own': [{ type: 'example.com/x' }, []],
    },
    {
      'the type': [{}, { type: 'a/b' }, ['Invalid type']],
      'immutable, and its data': [frozen, { data: { a: 'Mg==' } }, ['Forbidden immutable', 'Forbidden data']],
      'becomes immutable': [{ data: { a: 'MQ==' } }, frozen, []],
    },
  )

  it('do not reveal their contents in messages', async () => {
    try {
      await new KindCases(secretResource).create(typed('dockercfg', { '.dockercfg': 'hunter2' }))
    } catch (error) {
      return expect((error as Error).message)
        .to.include('<secret contents redacted>')
        .and.not.include('hunter2')
    }
    expect.fail('it was let in')
  })

  it('merge stringData into data', async () => {
    const made = await new KindCases(secretResource).create({ data: { a: 'YQ==', b: 'Yg==' }, stringData: { b: 'new', c: 'ü' } })
    expect(made).to.deep.include({ type: 'Opaque', data: { a: 'YQ==', b: 'bmV3', c: base64('ü') } })
    expect(made).to.not.have.property('stringData')
    expect(await causesOf(new KindCases(secretResource).create({ stringData: { 'a*b': '' } }))).to.deep.equal(['Invalid data[a*b]'])
  })

  it('warn about a TLS key that does not match its certificate from 1.27 on', async () => {
    const pem = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' }))
    const [own, other] = [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ec', { namedCurve: 'P-256' })]
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const subject = distinguishedName(['CN', 'a'])
    const certificate = await signCertificate({
      issuer: { subject, ...own },
      subject,
      publicKey: own.publicKey,
      notBefore: new Date(0),
      notAfter: new Date(1e12),
      extensions: [],
    })
    const warningsIn = async (release: Release, crt: string, key: string): Promise<string[]> => {
      const cases = new KindCases(secretResource)
      cases.server.features = parseGates(release)
      await cases.create(typed('tls', { 'tls.crt': crt, 'tls.key': key }))
      return cases.server.warnings
    }
    const bad = 'tls: failed to find any PEM data in certificate input'
    expect(await warningsIn('1.26', 'x', 'y')).to.deep.equal([])
    expect(await warningsIn('1.27', 'x', 'y')).to.deep.equal([bad])
    expect(await warningsIn('1.33', certificate, pem(own.privateKey))).to.deep.equal([])
    const faults: readonly (readonly [crt: string, key: string, fault: string])[] = [
      [certificate, 'y', 'tls: failed to find any PEM data in key input'],
      [certificate, certificate, 'tls: found a certificate rather than a key in the PEM for the private key'],
      [certificate, pem(other.privateKey), 'tls: private key does not match public key'],
      [certificate, pem(rsa.privateKey), 'tls: private key type does not match public key type'],
      [
        pem(own.privateKey),
        certificate,
        'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
      ],
    ]
    for (const [crt, key, fault] of faults) expect(await warningsIn('1.33', crt, key)).to.deep.equal([fault])
  })

  it('print and can be selected by type', async () => {
    const cases = new KindCases(secretResource)
    const made = await cases.create({ stringData: { a: 'b', c: 'd' } })
    expect(cases.cells()).to.deep.equal(['x', 'Opaque', 2, '0s'])
    expect(secretResource.hub.selectableFields?.type?.(made)).to.equal('Opaque')
  })

  it('are validated in steps if they have many keys', () => {
    const data = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'dg==']))
    const judged = secretResource.strategy?.validate?.({ metadata: {}, data } as never, undefined, undefined as never)
    if (judged === undefined || !isSteps(judged)) throw new Error('it was judged at once')
    const { result, yields } = countedSteps(judged)
    expect(result).to.deep.equal([])
    expect(yields).to.be.at.least(19)
  })
})
