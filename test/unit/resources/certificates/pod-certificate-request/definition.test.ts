import 'reflect-metadata'
import { generateKeyPairSync, sign } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { expect } from 'chai'
import { createPodCertificateRequestResource } from '../../../../../src/resources/certificates/pod-certificate-request/definition.ts'
import { allowingIf } from '../../../../support/authorizer.ts'
import { type Issued, issueCertificate } from '../../../../support/certificates.ts'
import { featuresIn, hookContext } from '../../../../support/hook-context.ts'
import { inRelease } from '../../../../support/in-release.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { MemoryBackend } from '../../../../support/memory-backend.ts'
import { patience } from '../../../../support/waiting.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2026-01-02T03:04:05Z')
const definition = createPodCertificateRequestResource(allowingIf(() => true))
const features = (release: '1.34' | '1.35' | '1.36') => featuresIn(release, { PodCertificateRequest: true })

const base = {
  signerName: 'example.com/a',
  podName: 'p',
  podUID: 'uid-p',
  serviceAccountName: 's',
  serviceAccountUID: 'uid-s',
  nodeName: 'n',
  nodeUID: 'uid-n',
}
const pair = generateKeyPairSync('ed25519')
const spki = (key: typeof pair.publicKey): string => key.export({ format: 'der', type: 'spki' }).toString('base64')
const proven = {
  pkixPublicKey: spki(pair.publicKey),
  proofOfPossession: sign(undefined, Buffer.from('uid-p'), pair.privateKey).toString('base64'),
}
const weak = generateKeyPairSync('rsa', { modulusLength: 2048 })
const of = (parts: object = {}): object => ({ spec: { ...base, ...proven, ...parts } })

describe('PodCertificateRequest', () => {
  validates(
    definition,
    {
      'a request': [of(), []],
      'a proof by another key': [
        of({ proofOfPossession: sign(undefined, Buffer.from('x'), pair.privateKey).toString('base64') }),
        ['Invalid spec.proofOfPossession'],
      ],
      'no key': [of({ pkixPublicKey: 'AAAA' }), ['Invalid spec.pkixPublicKey']],
      'a short key': [of({ pkixPublicKey: spki(weak.publicKey) }), ['Invalid spec.pkixPublicKey']],
      'a long key': [of({ pkixPublicKey: Buffer.alloc(11_000).toString('base64') }), ['TooLong spec.pkixPublicKey']],
      'bad names': [
        of({ signerName: 'a', podName: 'P', podUID: '', serviceAccountName: '', nodeName: 'n', nodeUID: 'x'.repeat(129) }),
        [
          'Invalid spec.signerName',
          'Invalid spec.podName',
          'Invalid spec.podUID',
          'Invalid spec.serviceAccountName',
          'TooLong spec.nodeUID',
          'Invalid spec.proofOfPossession',
        ],
      ],
      'a long validity': [of({ maxExpirationSeconds: 91 * 86_400 }), []],
      'a validity that is too long for a signer of Kubernetes': [
        of({ signerName: 'kubernetes.io/a', maxExpirationSeconds: 86_401 }),
        ['Invalid spec.maxExpirationSeconds'],
      ],
    },
    { 'the pod': [of(), of({ podName: 'q' }), ['Invalid spec']] },
    features('1.34'),
  )

  describe('in 1.36', () => {
    let stub: string
    let issuing: Issued['keys']
    before(async () => {
      issuing = (await issueCertificate({ subject: [{ CN: ['x'] }] })).keys
      const made = await x509.Pkcs10CertificateRequestGenerator.create({
        keys: issuing,
        signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
      })
      stub = Buffer.from(made.rawData).toString('base64')
    })
    const ask = async (spec: object): Promise<string[]> =>
      messagesOf(new KindCases(definition, features('1.36')).create({ spec: { ...base, ...spec } }))

    it('requires either stubPKCS10Request or a public key with proof of possession', async () => {
      expect(await ask({ stubPKCS10Request: stub })).to.deep.equal([])
      expect(await ask({ ...proven })).to.deep.equal([])
      const one = 'spec: Invalid value: exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set'
      expect(await ask({ ...proven, stubPKCS10Request: stub })).to.deep.equal([one])
      expect(await ask({})).to.deep.equal([one])
      expect(await ask({ stubPKCS10Request: 'AAAA' })).to.deep.equal(['spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR'])
      const changed = Buffer.from(stub, 'base64')
      changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
      expect(await ask({ stubPKCS10Request: changed.toString('base64') })).to.deep.equal([
        'spec.stubPKCS10Request: Invalid value: invalid signature',
      ])
    })

    it('may be labelled after it was created in v1 of 1.37', async () => {
      const path = '/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests'
      const [created, labelled, old, moved] = await inRelease(
        new MemoryBackend(),
        '1.37',
        async call => {
          await call('/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'default' } }) })
          const request = { metadata: { name: 'a' }, spec: { ...base, stubPKCS10Request: stub } }
          const made = await call(path, { method: 'POST', body: JSON.stringify(request) })
          const headers = { 'content-type': 'application/merge-patch+json' }
          const patched = await call(`${path}/a`, { method: 'PATCH', headers, body: JSON.stringify({ metadata: { labels: { a: 'b' } } }) })
          const changed = await call(`${path}/a`, { method: 'PATCH', headers, body: JSON.stringify({ spec: { podName: 'q' } }) })
          return [made, patched, await call(`${path.replace('/v1/', '/v1beta1/')}/a`), changed]
        },
        {},
        ['certificates.k8s.io/v1beta1'],
      )
      expect([created?.status, labelled?.status], JSON.stringify(labelled?.json)).to.deep.equal([201, 200])
      expect(old?.json).to.have.nested.include({ 'spec.pkixPublicKey': null, 'spec.proofOfPossession': null, 'metadata.labels.a': 'b' })
      expect(moved?.json)
        .to.have.property('message')
        .that.contains('PKIXPublicKey:[]byte(nil), ProofOfPossession:[]byte(nil), StubPKCS10Request:[]byte{0x30')
    })

    it('requires domain-prefixed keys in user annotations', async () => {
      expect(await ask({ ...proven, unverifiedUserAnnotations: { 'Acme.io/A': 'x' } })).to.deep.equal([])
      expect(await ask({ ...proven, unverifiedUserAnnotations: { a: 'x' } })).to.deep.equal([
        'spec.unverifiedUserAnnotations: Invalid value: "a": must be a domain-prefixed key (such as "acme.io/foo")',
      ])
    })

    const time = (millis: number): string => new Date(millis).toISOString().replace('.000', '')
    const condition = (type: string, status = 'True'): object => ({ type, status, reason: 'R', message: '', lastTransitionTime: time(NOW) })
    const issued = async (parts: object = {}, certificate: object = {}): Promise<object> => {
      const { cert } = await issueCertificate({
        subject: [{ CN: ['x'] }],
        keys: issuing,
        notBefore: NOW,
        notAfter: NOW + 2 * HOUR,
        ...certificate,
      })
      const times = { notBefore: time(NOW), notAfter: time(NOW + 2 * HOUR), beginRefreshAt: time(NOW + HOUR) }
      return { conditions: [condition('Issued')], certificateChain: cert, ...times, ...parts }
    }
    async function answer(...answers: object[]): Promise<string[]> {
      const cases = new KindCases(definition, features('1.36'))
      const body = { spec: { ...base, stubPKCS10Request: stub } }
      await cases.create(body)
      for (const status of answers.slice(0, -1)) await cases.update({ ...body, status }, {}, 'status')
      return (await messagesOf(cases.update({ ...body, status: answers.at(-1) }, {}, 'status'))).map(text =>
        text.replace(/"-----BEGIN[^"]*"/, 'CHAIN'),
      )
    }

    it('can be issued, denied or failed only once', async () => {
      expect(await answer(await issued())).to.deep.equal([])
      expect(await answer({ conditions: [condition('Denied')] })).to.deep.equal([])
      expect(await answer({ conditions: [condition('Failed')] }, { conditions: [condition('Denied')] })).to.deep.equal([
        'status: Invalid value: immutable after PodCertificateRequest is issued, denied, or failed',
      ])
      expect(await answer({ notBefore: time(NOW) })).to.deep.equal([
        'status: Invalid value: status is immutable unless transitioning to "Issued", "Denied", or "Failed"',
      ])
      expect(await answer({ conditions: [condition('Denied')], certificateChain: 'x' })).to.deep.equal([
        'status: Invalid value: non-condition status fields must be empty when denying or failing the PodCertificateRequest',
      ])
      expect(await answer({ conditions: [condition('Denied', 'False'), condition('Failed'), condition('Other')] })).to.deep.equal([
        'status.conditions.[0].status: Unsupported value: "False": supported values: "True"',
        'status.conditions.[1].type: Invalid value: "Failed": There may be at most one condition with type "Issued", "Denied", or "Failed"',
        'status.conditions.[2].type: Unsupported value: "Other": supported values: "Issued", "Denied", "Failed"',
      ])
    })

    it('requires a certificate that matches the key and times of the status', async () => {
      const other = await issueCertificate({ subject: [{ CN: ['x'] }] })
      expect(await answer(await issued({}, { keys: other.keys }))).to.deep.equal([
        'status.certificateChain: Invalid value: CHAIN: leaf certificate was not issued to the requested public key',
      ])
      expect(await answer(await issued({ certificateChain: '' }))).to.deep.equal([
        'status.certificateChain: Invalid value: "": issued certificate chain must contain at least one certificate',
      ])
      expect(await answer(await issued({ notBefore: null, beginRefreshAt: null }))).to.deep.equal([
        'status.notBefore: Required value: must be present and consistent with the issued certificate',
        'status.beginRefreshAt: Required value: must be present and in the range [notbefore+10min, notafter-10min]',
      ])
      expect(await answer(await issued({ notAfter: time(NOW + HOUR) }))).to.deep.equal([
        'status.notAfter: Invalid value: 2026-01-02 04:04:05 +0000 UTC: must be set to the NotAfter time encoded in the leaf certificate',
      ])
      expect(await answer(await issued({ notAfter: time(NOW + 60_000) }, { notAfter: NOW + 60_000 }))).to.deep.equal([
        'status.certificateChain: Invalid value: 1m0s: leaf certificate lifetime must be >= 1 hour',
      ])
      expect(await answer(await issued({ beginRefreshAt: time(NOW + 60_000) }))).to.deep.equal([
        'status.beginRefreshAt: Invalid value: 2026-01-02 03:05:05 +0000 UTC: must be at least 10 minutes after status.notBefore',
      ])
    })
  })

  it('requires permission to sign for deciding it', async () => {
    const { subresources } = createPodCertificateRequestResource(allowingIf(() => false)).hub
    const evaluate = subresources?.status?.strategy?.evaluate
    const ctx = hookContext({ request: { user: { name: 'ann', groups: [] }, signal: patience() } as never })
    const old = { spec: { signerName: 'example.com/a' }, status: {} } as never
    const next = { spec: { signerName: 'example.com/a' }, status: { conditions: [{ type: 'Denied' }] } } as never
    expect((await evaluate?.(next, old, ctx, []))?.map(({ field, body }) => `${field}: ${body}`)).to.deep.equal([
      'spec.signerName: Forbidden: User "ann" is not permitted to "sign" for signer "example.com/a"',
    ])
    expect(await evaluate?.(old, old, ctx, [])).to.deep.equal([])
  })

  it('prints its state and user annotations', async () => {
    const cases = new KindCases(definition, features('1.36'))
    await cases.create(of({ unverifiedUserAnnotations: { 'a.io/x': '1' } }))
    expect(cases.cells()).to.deep.equal(['x', 'p', 's', 'n', 'example.com/a', 'Pending', 'a.io/x=1'])
  })
})
