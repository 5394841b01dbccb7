import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { silentLogger } from '../../../../../src/lib/log.ts'
import type { MetricFamily } from '../../../../../src/lib/metrics.ts'
import { sha256Label } from '../../../../../src/lib/sha256-label.ts'
import type { Spans } from '../../../../../src/lib/spans.ts'
import { SocketCallError } from '../../../../../src/protocols/grpc/socket-client.ts'
import { key } from '../../../../../src/storage/revision.ts'
import { derivedKeys } from '../../../../../src/storage/value/kms/derived-keys.ts'
import { decodeObject, type EncryptResponse, encodeObject, type StatusResponse } from '../../../../../src/storage/value/kms/messages.ts'
import { KmsMetrics } from '../../../../../src/storage/value/kms/metrics.ts'
import { KmsProvider } from '../../../../../src/storage/value/kms/provider.ts'
import type { KeyService } from '../../../../../src/storage/value/kms/service.ts'
import { TransformError } from '../../../../../src/storage/value/transformer.ts'
import { RecordedSpans } from '../../../../support/recorded-spans.ts'

const KEY = key('/registry/secrets/default/a')
const VALUE = Buffer.from('hello')
const xor = (bytes: Buffer): Buffer => Buffer.from(bytes.map(byte => byte ^ 0x5a))

/** A service whose responses a test may change, with a clock of its own. */
function world() {
  const state = {
    now: Date.parse('2026-01-02T03:04:05Z'),
    status: { version: 'v2', healthz: 'ok', keyId: 'one' } as StatusResponse,
    encrypted: undefined as Partial<EncryptResponse> | undefined,
    down: false,
    decrypts: 0,
  }
  const answer = async <T>(make: () => T): Promise<T> => {
    if (state.down) throw new SocketCallError('Unavailable', 'no plugin')
    return make()
  }
  const service: KeyService = {
    status: () => answer(() => state.status),
    encrypt: plaintext =>
      answer(() => ({ ciphertext: xor(plaintext), keyId: state.status.keyId, annotations: new Map(), ...state.encrypted })),
    decrypt: ({ ciphertext }) =>
      answer(() => {
        state.decrypts++
        return xor(ciphertext)
      }),
    close: () => {},
  }
  const metrics = new KmsMetrics()
  const open = (spans?: Spans): KmsProvider =>
    new KmsProvider({ name: 'p', service, metrics, clock: { now: () => state.now }, logger: silentLogger, spans })
  return { state, metrics, open, later: (seconds: number) => (state.now += seconds * 1000) }
}

const faultOf = (provider: KmsProvider): Promise<string | undefined> =>
  provider.check().then(
    () => undefined,
    (error: Error) => error.message.replace(/uid="[^"]+"/, 'uid'),
  )
const lines = (family: MetricFamily): string[] =>
  [...family.samples()].map(({ labels, value }) => `${Object.values(labels).join(' ')}: ${value}`)
const familyOf = (metrics: KmsMetrics, name: string): MetricFamily =>
  metrics.families.find(family => family.name === `apiserver_${name}`) as MetricFamily
const ONE = 'sha256:7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed'

describe('a key management service', () => {
  it('encrypts and decrypts each value with a key of its own', async () => {
    const { open, state } = world()
    const provider = open()
    await provider.check()
    const [a, b] = [provider.toStorage(VALUE, KEY), provider.toStorage(VALUE, KEY)]
    expect(a).not.to.deep.equal(b)
    expect(provider.fromStorage(a, KEY)).to.deep.equal({ value: VALUE, stale: false })
    expect(() => provider.fromStorage(a, key('/registry/secrets/default/b'))).to.throw(
      TransformError,
      'cipher: message authentication failed',
    )
    expect(state.decrypts).to.equal(0)
  })

  it('has spans if a request is recorded', async () => {
    const spans = new RecordedSpans()
    const provider = world().open(spans)
    await provider.check()
    provider.fromStorage(provider.toStorage(VALUE, KEY), KEY)
    expect(() => provider.fromStorage(VALUE, KEY)).to.throw(TransformError)
    const attributes = { 'transformer.provider.name': 'p' }
    expect(spans.ended.map(({ failure, ...span }) => ({ ...span, failed: failure !== undefined }))).to.deep.equal([
      { name: 'TransformToStorage with envelopeTransformer', attributes, failed: false },
      { name: 'TransformFromStorage with envelopeTransformer', attributes, failed: false },
      { name: 'TransformFromStorage with envelopeTransformer', attributes, failed: true },
    ])
  })

  it('decrypts values of other servers after a call of the service', async () => {
    const { open, state, metrics } = world()
    const [writer, reader] = [open(), open()]
    await Promise.all([writer.check(), reader.check()])
    const stored = writer.toStorage(VALUE, KEY)
    const more = writer.toStorage(VALUE, KEY)
    const asked = reader.prepare(stored)
    expect(reader.prepare(more)).to.equal(asked)
    await asked
    expect(reader.prepare(stored)).to.equal(undefined)
    expect(reader.fromStorage(stored, KEY)).to.deep.equal({ value: VALUE, stale: false })
    expect(state.decrypts).to.equal(1)
    expect(lines(familyOf(metrics, 'storage_envelope_transformation_cache_misses_total'))).to.deep.equal([': 1'])
    expect(lines(familyOf(metrics, 'envelope_encryption_key_id_hash_total'))).to.deep.equal([
      `to_storage p ${ONE} : 2`,
      `from_storage p ${ONE} : 1`,
    ])
  })

  it('reports why it cannot decrypt, and tries again for later reads', async () => {
    const { open, state, later } = world()
    const [writer, reader] = [open(), open()]
    await Promise.all([writer.check(), reader.check()])
    const stored = writer.toStorage(VALUE, KEY)
    state.down = true
    await reader.prepare(stored)
    expect(() => reader.fromStorage(stored, KEY))
      .to.throw(TransformError, 'failed to decrypt DEK, error: rpc error: code = Unavailable desc = no plugin')
      .with.property('mayPass', true)
    state.down = false
    expect(reader.prepare(stored)).to.equal(undefined)
    later(4)
    expect(() => reader.fromStorage(stored, KEY)).to.throw(TransformError)
    await reader.prepare(stored)
    expect(reader.fromStorage(stored, KEY).value).to.deep.equal(VALUE)
  })

  it('writes with a new seed when the service has a new key, and marks earlier values as stale', async () => {
    const { open, state, later } = world()
    const provider = open()
    await provider.check()
    const before = provider.toStorage(VALUE, KEY)
    state.status = { ...state.status, keyId: 'two' }
    later(60)
    await provider.check()
    const after = provider.toStorage(VALUE, KEY)
    expect([decodeObject(before).keyId, decodeObject(after).keyId]).to.deep.equal(['one', 'two'])
    expect(decodeObject(after).source).not.to.deep.equal(decodeObject(before).source)
    expect([provider.fromStorage(before, KEY).stale, provider.fromStorage(after, KEY).stale]).to.deep.equal([true, false])
  })

  it('keeps its seed while the key is the same', async () => {
    const { open, later } = world()
    const provider = open()
    await provider.check()
    const before = decodeObject(provider.toStorage(VALUE, KEY)).source
    later(60)
    await provider.check()
    expect(decodeObject(provider.toStorage(VALUE, KEY)).source).to.deep.equal(before)
  })

  it('writes for three minutes without the service, and reads indefinitely', async () => {
    const { open, state, later } = world()
    const provider = open()
    await provider.check()
    const stored = provider.toStorage(VALUE, KEY)
    state.down = true
    later(180)
    expect(await faultOf(provider)).to.match(
      /^failed to perform status section of the healthz check for KMS Provider p, error: rpc error: code = Unavailable/,
    )
    provider.toStorage(VALUE, KEY)
    later(1)
    expect(() => provider.toStorage(VALUE, KEY)).to.throw(
      TransformError,
      `encryptedDEKSource with keyID hash "${ONE}" expired at 2026-01-02T03:07:05Z (current time is 2026-01-02T03:07:06Z)`,
    )
    expect(provider.fromStorage(stored, KEY).value).to.deep.equal(VALUE)
    state.down = false
    later(3)
    await provider.check()
    provider.toStorage(VALUE, KEY)
  })

  it('neither reads nor writes before the service has responded', () => {
    const provider = world().open()
    expect(() => provider.toStorage(VALUE, KEY)).to.throw(TransformError, 'got unexpected nil transformer')
    const object = encodeObject({ data: Buffer.of(1), keyId: 'a', source: Buffer.of(1), annotations: new Map(), sourceType: 1 })
    expect(() => provider.fromStorage(object, KEY)).to.throw(TransformError, 'got unexpected nil transformer')
  })

  it('reuses the result of a check for twenty seconds if it is healthy, and for three if not', async () => {
    const { open, state, later } = world()
    const provider = open()
    await provider.check()
    state.down = true
    later(19)
    expect(await faultOf(provider)).to.equal(undefined)
    later(1)
    expect(await faultOf(provider)).to.match(/^failed to perform status section/)
    state.down = false
    later(2)
    expect(await faultOf(provider)).to.match(/^failed to perform status section/)
    later(1)
    expect(await faultOf(provider)).to.equal(undefined)
  })

  const UNHEALTHY = 'kmsv2 Provider p is not healthy, error: '
  const faults: readonly { title: string; status?: Partial<StatusResponse>; encrypted?: Partial<EncryptResponse>; fault: string }[] = [
    { title: 'a status other than ok', status: { healthz: 'bad' }, fault: `${UNHEALTHY}got unexpected healthz status: bad` },
    { title: 'another version', status: { version: 'v3' }, fault: `${UNHEALTHY}expected KMSv2 API version v2, got v3` },
    { title: 'no key', status: { keyId: '' }, fault: `${UNHEALTHY}got invalid KMSv2 KeyID hash "": keyID is empty` },
    {
      title: 'a key with a long id, and a status',
      status: { keyId: 'x'.repeat(1025), healthz: 'bad' },
      fault: `${UNHEALTHY}[got unexpected healthz status: bad, got invalid KMSv2 KeyID hash "sha256:`,
    },
    {
      title: 'a seed encrypted by another key',
      encrypted: { keyId: 'two' },
      fault: `${UNHEALTHY}failed to rotate DEK uid, useSeed=true, errState=got unexpected nil transformer, errGen=<nil>, statusKeyIDHash="${ONE}", encryptKeyIDHash="sha256:`,
    },
    {
      title: 'an empty seed',
      encrypted: { ciphertext: Buffer.alloc(0) },
      fault: 'errGen=failed to validate encrypted DEK source: encrypted DEK source is empty',
    },
    {
      title: 'a long seed',
      encrypted: { ciphertext: Buffer.alloc(1025) },
      fault: 'errGen=failed to validate encrypted DEK source: encrypted DEK source is 1025 bytes, which exceeds the max size of 1024',
    },
    {
      title: 'annotations whose names are not domains',
      encrypted: { annotations: new Map([['foo', Buffer.of(1)]]) },
      fault:
        'errGen=failed to validate annotations: annotations: Invalid value: "foo": should be a domain with at least two segments separated by dots',
    },
    {
      title: 'long annotations',
      encrypted: { annotations: new Map([['a.example.com', Buffer.alloc(32 * 1024)]]) },
      fault: 'errGen=failed to validate annotations: total size of annotations is 32781, which exceeds the max size of 32768',
    },
  ]
  for (const { title, status, encrypted, fault } of faults)
    it(`is unhealthy with ${title}`, async () => {
      const { open, state } = world()
      state.status = { ...state.status, ...status }
      state.encrypted = encrypted
      expect(await faultOf(open())).to.contain(fault)
    })

  it('is unhealthy when its version changes', async () => {
    const { open, state, later } = world()
    const provider = open()
    await provider.check()
    state.status = { ...state.status, version: 'v2beta1' }
    later(20)
    expect(await faultOf(provider)).to.equal(
      `${UNHEALTHY}KMSv2 API version should not change after the initial status response version v2, got v2beta1`,
    )
  })

  it('counts invalid key ids', async () => {
    const { open, state, metrics } = world()
    state.status = { ...state.status, keyId: '' }
    await faultOf(open())
    expect(lines(familyOf(metrics, 'envelope_encryption_invalid_key_id_from_status_total'))).to.deep.equal(['p empty: 1'])
  })

  it('refuses invalid stored values', async () => {
    const provider = world().open()
    await provider.check()
    const object = { data: Buffer.of(1), keyId: 'a', source: Buffer.of(1), annotations: new Map(), sourceType: 1 }
    for (const [wrong, text] of [
      [{ data: Buffer.alloc(0) }, 'encrypted data is empty'],
      [{ keyId: '' }, 'failed to validate key id: keyID is empty'],
      [{ source: Buffer.alloc(0) }, 'failed to validate encrypted DEK source: encrypted DEK source is empty'],
      [{ sourceType: 2 }, 'unknown encryptedDEKSourceType: 2'],
    ] as const)
      expect(() => provider.fromStorage(encodeObject({ ...object, ...wrong }), KEY)).to.throw(TransformError, text)
    expect(() => provider.fromStorage(Buffer.of(255, 255), KEY)).to.throw(TransformError)
  })

  it('refuses seeds that are short', () =>
    expect(() => derivedKeys(Buffer.alloc(31))).to.throw(TransformError, 'invalid seed length 31 used for key generation'))

  it('reads what kube-apiserver wrote, by seeds and by keys', async () => {
    const file = join(import.meta.dirname, '../../../../fixtures/encryption/kms-v2.json')
    const values = JSON.parse(readFileSync(file, 'utf8')) as { plain: string; stored: string; seed: string }[]
    expect(existsSync(file) && values.length).to.equal(6)
    const provider = world().open()
    await provider.check()
    for (const { plain, stored, seed } of values) {
      const bytes = Buffer.from(stored, 'base64')
      await provider.prepare(bytes)
      expect(provider.fromStorage(bytes, KEY)).to.deep.equal({ value: Buffer.from(plain), stale: seed === 'false' })
    }
  })

  it('has metrics of the hundred most recently used keys', () => {
    const metrics = new KmsMetrics()
    for (let i = 0; i < 500; i++) {
      metrics.status('service', `key ${i}`, 1000)
      metrics.used('to_storage', 'service', sha256Label(`key ${i}`), 1000)
      metrics.status('service', 'key 0', 1000)
    }
    for (const name of ['envelope_encryption_key_id_hash_total', 'envelope_encryption_key_id_hash_status_last_timestamp_seconds']) {
      const hashes = Array.from(familyOf(metrics, name).samples(), ({ labels }) => labels.key_id_hash)
      expect(hashes).to.have.length(100)
      expect(hashes).to.include.members([sha256Label('key 0'), sha256Label('key 499')])
    }
  })
})
