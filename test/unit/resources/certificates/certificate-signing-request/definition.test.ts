import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { Pkcs10CertificateRequestGenerator, X509CertificateGenerator } from '@peculiar/x509'
import { expect } from 'chai'
import type { ResourceDefinition } from '../../../../../src/catalog/definition.ts'
import type { RequestContext } from '../../../../../src/meta/context.ts'
import { certificateSigningRequestResource as resource } from '../../../../../src/resources/certificates/certificate-signing-request/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { hookContext } from '../../../../support/hook-context.ts'
import { causesOf, KindCases } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const condition = (type: string, status = 'True', more: object = {}): object => ({ type, status, ...more })

describe('CertificateSigningRequest', () => {
  let request = ''
  let certificate = ''
  before(async () => {
    const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
    const keys = (await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])) as never
    request = base64(
      (await Pkcs10CertificateRequestGenerator.create({ name: 'CN=x', keys, signingAlgorithm } as never, webcrypto as never)).toString(
        'pem',
      ),
    )
    const notAfter = new Date(Date.now() + 60_000)
    certificate = base64(
      (
        await X509CertificateGenerator.createSelfSigned({ name: 'CN=x', notAfter, keys, signingAlgorithm } as never, webcrypto as never)
      ).toString('pem'),
    )
  })

  const of = (spec: object = {}): object => ({ spec: { request, signerName: 'example.com/any', usages: ['client auth'], ...spec } })
  async function made(): Promise<KindCases> {
    const cases = new KindCases(resource)
    await cases.create(of())
    return cases
  }

  const refused: [string, object, string[]][] = [
    ['nothing wrong', {}, []],
    ['a signer with dots', { signerName: 'sub.example.com/ns.some-name' }, []],
    ['no request', { request: null }, ['Invalid spec.request']],
    ['garbage', { request: base64('garbage') }, ['Invalid spec.request']],
    ['no usages', { usages: [] }, ['Required spec.usages']],
    ['an unknown usage', { usages: ['client auth', 'unknown'] }, ['NotSupported spec.usages[1]']],
    ['a usage twice', { usages: ['client auth', 'client auth'] }, ['Duplicate spec.usages[1]']],
    ['no signer', { signerName: '' }, ['Required spec.signerName']],
    ['a signer without path', { signerName: 'example.com' }, ['Invalid spec.signerName']],
    ['a signer with two slashes', { signerName: 'example.com/a/b' }, ['Invalid spec.signerName']],
    ['a signer of one label', { signerName: 'example/a' }, ['Invalid spec.signerName']],
    ['a bad signer', { signerName: 'Example.com/a_b' }, ['Invalid spec.signerName', 'Invalid spec.signerName']],
    ['the legacy signer', { signerName: 'kubernetes.io/legacy-unknown' }, ['Invalid spec.signerName']],
    ['a short time', { expirationSeconds: 599 }, ['Invalid spec.expirationSeconds']],
  ]
  for (const [what, spec, causes] of refused)
    it(`creating: ${what}`, async () => expect(await causesOf(new KindCases(resource).create(of(spec)))).to.deep.equal(causes))

  it('prints the bytes of an invalid request in the error', async () => {
    expect(await messagesOf(new KindCases(resource).create(of({ request: base64('hi') })))).to.deep.equal([
      'spec.request: Invalid value: []byte{0x68, 0x69}: PEM block type must be CERTIFICATE REQUEST',
    ])
  })

  it('accepts any name', async () => expect(await causesOf(new KindCases(resource).create(of(), { name: 'a_B:c' }))).to.deep.equal([]))

  it('gets the identity of its creator and an empty status on create', async () => {
    const next = {
      metadata: { name: 'x' },
      ...of({ username: 'bob', uid: '1', groups: ['g'], extra: { a: ['b'] } }),
      status: { conditions: [condition('Approved')] },
    }
    const user = { name: 'alice', groups: ['devs'], extra: { scopes: ['s'] } }
    const object = next as unknown as AnyObject
    ;(resource as ResourceDefinition).strategy?.prepare?.(
      object,
      undefined,
      hookContext({ request: { user } as unknown as RequestContext }),
    )
    expect(object.spec).to.deep.equal({ ...(of() as AnyObject).spec, username: 'alice', groups: ['devs'], extra: { scopes: ['s'] } })
    expect(object.status).to.deep.equal({})
  })

  it('keeps spec and status on update', async () => {
    const cases = await made()
    const changed = await cases.update({ ...of({ signerName: 'example.com/other' }), status: { certificate } }, { labels: { a: 'b' } })
    expect([changed.spec.signerName, changed.status, changed.metadata.labels]).to.deep.equal(['example.com/any', {}, { a: 'b' }])
  })

  const decisions: [string, object[], string[]][] = [
    ['an approval', [condition('Approved')], []],
    ['a denial', [condition('Denied')], []],
    ['both', [condition('Approved'), condition('Denied')], ['Invalid status.conditions[1].type']],
    ['an approval that is false', [condition('Approved', 'False')], ['NotSupported status.conditions[0].status']],
    ['a condition of no type', [condition('')], ['Required status.conditions[0].type']],
    ['a condition of no status', [condition('Other', '')], ['Required status.conditions[0].status']],
    ['a condition of an odd status', [condition('Other', 'Odd')], ['NotSupported status.conditions[0].status']],
    ['a condition twice', [condition('Other'), condition('Other', 'False')], ['Duplicate status.conditions[1].type']],
  ]
  for (const [what, conditions, causes] of decisions) {
    it(`approving: ${what}`, async () =>
      expect(await causesOf((await made()).update({ ...of(), status: { conditions } }, {}, 'approval'))).to.deep.equal(causes))
  }

  it('sets the update and transition times of conditions', async () => {
    const cases = await made()
    const first = await cases.update({ ...of(), status: { conditions: [condition('Approved')], certificate } }, {}, 'approval')
    const at = '2026-01-02T03:04:05Z'
    expect(first.status).to.deep.equal({ conditions: [{ type: 'Approved', status: 'True', lastUpdateTime: at, lastTransitionTime: at }] })
    cases.server.now += 1000
    const again = await cases.update({ ...of(), status: { conditions: [condition('Approved', 'True', { reason: 'R' })] } }, {}, 'approval')
    expect(again.status.conditions).to.deep.equal([
      { type: 'Approved', status: 'True', reason: 'R', lastUpdateTime: '2026-01-02T03:04:06Z', lastTransitionTime: at },
    ])
  })

  it('does not allow removing an approval', async () => {
    const cases = await made()
    await cases.update({ ...of(), status: { conditions: [condition('Approved')] } }, {}, 'approval')
    expect(await messagesOf(cases.update({ ...of(), status: {} }, {}, 'approval'))).to.deep.equal([
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ])
  })

  it('accepts one certificate and conditions other than approval through the status', async () => {
    const cases = await made()
    const status = (next: object): Promise<AnyObject> => cases.update({ ...of(), status: next }, {}, 'status')
    expect(await causesOf(status({ certificate: base64('garbage') }))).to.deep.equal(['Invalid status.certificate'])
    expect(await causesOf(status({ certificate: request }))).to.deep.equal(['Invalid status.certificate'])
    expect(await causesOf(status({ conditions: [condition('Approved')] }))).to.deep.equal(['Forbidden status.conditions'])
    expect((await status({ certificate, conditions: [condition('Failed')] })).status.certificate).to.equal(certificate)
    expect(
      await causesOf(status({ certificate: base64(`\n${Buffer.from(certificate, 'base64')}`), conditions: [condition('Failed')] })),
    ).to.deep.equal(['Forbidden status.certificate'])
    expect(cases.cells()).to.deep.equal(['x', '0s', 'example.com/any', '', '<none>', 'Pending,Failed,Issued'])
  })

  it('can be selected by signer name', async () => {
    const cases = await made()
    const [stored] = cases.server.objects.values()
    expect(resource.hub.selectableFields?.['spec.signerName']?.(stored as AnyObject)).to.equal('example.com/any')
  })
})
