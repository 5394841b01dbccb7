import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseGroupResource } from '../../../../src/meta/gvk.ts'
import { key } from '../../../../src/storage/revision.ts'
import { Encryption } from '../../../../src/storage/value/encryption.ts'
import { EncryptionConfigError, parseEncryptionFile } from '../../../../src/storage/value/encryption-file.ts'
import { TransformError } from '../../../../src/storage/value/transformer.ts'

interface Values {
  readonly configs: Record<string, object>
  readonly values: readonly { config: string; plain: string; stored: string }[]
  readonly reads: readonly { config: string; key: string; stored: string; plain?: string; stale?: boolean; error?: string }[]
}
interface Configs {
  readonly configs: Record<string, object>
  readonly prefixes: readonly { config: string; resource: string; prefix: string }[]
  readonly refusals: readonly { case: string; config: object; error: string }[]
}

const fixture = <T>(name: string): T =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../fixtures/encryption', name), 'utf8')) as T
const parse = (config: object) => parseEncryptionFile(Buffer.from(JSON.stringify(config)), 'FILE')

function open(config: object): Encryption {
  const encryption = new Encryption()
  encryption.configure(parse(config))
  return encryption
}

const SECRETS = { group: '', resource: 'secrets' }
const KEY = key('/registry/secrets/default/a')
const bytes = (base64: string) => Buffer.from(base64, 'base64')

describe('encryption at rest', () => {
  const recorded = fixture<Values>('values.json')
  const stored = fixture<Configs>('configs.json')
  const transformers = new Map(Object.entries(recorded.configs).map(([name, config]) => [name, open(config).transformerFor(SECRETS)]))

  it('reads what kube-apiserver wrote, in every form', () => {
    expect(recorded.values).to.have.length(42)
    for (const { config, plain, stored } of recorded.values)
      expect(transformers.get(config)?.fromStorage(bytes(stored), KEY), config).to.deep.equal({ value: bytes(plain), stale: false })
  })

  it('reads values, marks stale ones and rejects invalid ones as kube-apiserver does, with its messages', () => {
    expect(recorded.reads).to.have.length(741)
    for (const { config, key: at, stored, plain, stale, error } of recorded.reads) {
      const what = `${config}: ${bytes(stored).toString('latin1').slice(0, 30)}`
      const read = () => transformers.get(config)?.fromStorage(bytes(stored), key(at))
      if (error === undefined) expect(read(), what).to.deep.equal({ value: bytes(plain ?? ''), stale })
      else expect(read, what).to.throw(TransformError).with.property('message', error)
    }
  })

  it('writes forms of the same lengths and prefixes, and reads them again', () => {
    for (const { config, plain, stored } of recorded.values) {
      const transformer = transformers.get(config)
      const written = transformer?.toStorage(bytes(plain), KEY) as Buffer
      const prefix = /^(k8s:enc:\w+:v1:\w+:)?/.exec(bytes(stored).toString('latin1'))?.[0] ?? ''
      expect(written.length, config).to.equal(bytes(stored).length)
      expect(written.toString('latin1').startsWith(prefix), config).to.equal(true)
      expect(transformer?.fromStorage(written, KEY), config).to.deep.equal({ value: bytes(plain), stale: false })
    }
  })

  it('never writes the same bytes twice', () => {
    for (const config of ['gcm32', 'cbc32', 'secretbox']) {
      const written = Array.from({ length: 50 }, () => transformers.get(config)?.toStorage(Buffer.from('x'), KEY).toString('latin1'))
      expect(new Set(written).size, config).to.equal(50)
    }
  })

  it('selects the rule of the resource, then of its group, then of all', () => {
    for (const { config, resource, prefix } of stored.prefixes) {
      const transformer = open(stored.configs[config] as object).transformerFor(parseGroupResource(resource))
      expect(
        transformer
          .toStorage(Buffer.from('hello'), KEY)
          .toString('latin1')
          .startsWith(`${prefix}${prefix === '' ? 'hello' : ''}`),
        `${config}: ${resource}`,
      ).to.equal(true)
    }
  })

  describe('refuses a configuration', () => {
    for (const { case: what, config, error } of stored.refusals)
      it(`with ${what}`, () => {
        expect(() => open(config))
          .to.throw(EncryptionConfigError)
          .with.property('message', error)
      })

    const kms = { name: 'a', endpoint: 'unix:///tmp/a.sock', apiVersion: 'v2', timeout: '3s' }
    /** After k8s.io/apiserver's TestKMSEndpoint, TestKMSProviderTimeout, TestKMSProviderName and their like. */
    const services: readonly [given: object, error: string][] = [
      [{ name: '' }, 'kms.name: Required value: name is a mandatory field for a provider'],
      [{ name: 'a:b' }, `kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':'`],
      [{ timeout: '0s' }, 'kms.timeout: Invalid value: 0s: timeout should be a positive value'],
      [{ timeout: '-1m' }, 'kms.timeout: Invalid value: -1m0s: timeout should be a positive value'],
      [{ endpoint: '' }, 'kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms'],
      [
        { endpoint: 'https:///foo' },
        'kms.endpoint: Invalid value: "https:///foo": unsupported scheme "https" for KMS provider, only unix is supported',
      ],
      [
        { endpoint: 'unix:///foo\n.socket' },
        'kms.endpoint: Invalid value: "unix:///foo\\n.socket": invalid endpoint for kms provider, error: parse',
      ],
      [{ cachesize: 10 }, 'kms.cachesize: Invalid value: 10: cachesize is not supported in v2'],
      [
        { apiVersion: 'v3' },
        'kms.apiVersion: Invalid value: "v3": unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported',
      ],
      [{ apiVersion: 'v1' }, 'kms.apiVersion: Forbidden: KMSv1 is deprecated'],
      [{ apiVersion: undefined }, 'kms.apiVersion: Forbidden: KMSv1 is deprecated'],
    ]
    const withServices = (...given: object[]) =>
      parse({
        kind: 'EncryptionConfiguration',
        apiVersion: 'apiserver.config.k8s.io/v1',
        resources: [{ resources: ['secrets'], providers: given.map(each => ({ kms: { ...kms, ...each } })) }],
      })
    for (const [given, error] of services)
      it(`with a key management service with ${JSON.stringify(given)}`, () =>
        expect(() => withServices(given)).to.throw(EncryptionConfigError, error))

    it('with two key management services of one name', () => {
      expect(() => withServices({}, {})).to.throw(
        EncryptionConfigError,
        'providers[1].kms.name: Invalid value: "a": duplicate KMS provider name a, names must be unique',
      )
      expect(withServices({}, { name: 'b', timeout: undefined }).resources).to.have.length(1)
    })

    it('with two providers in one element', () => {
      const keys = [{ name: 'a', secret: 'A/j5CnrWGB83ylcPkuUhm/6TSyrQtsNJtDPwPHNOj4Q=' }]
      const rule = { resources: ['secrets'], providers: [{ aesgcm: { keys }, aescbc: { keys } }] }
      const config = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources: [rule] }
      expect(() => open(config)).to.throw(EncryptionConfigError, /more than one provider specified in a single element/)
    })

    it('that is empty, no YAML, or has no kind', () => {
      const text = (source: string) => () => parseEncryptionFile(Buffer.from(source), 'FILE')
      expect(text('')).to.throw(EncryptionConfigError, 'encryption provider configuration file "FILE" is empty')
      expect(text('a: [')).to.throw(EncryptionConfigError, 'error decoding encryption provider configuration file "FILE": ')
      expect(text('resources: []')).to.throw(EncryptionConfigError, "Object 'Kind' is missing")
      expect(text('kind: EncryptionConfiguration')).to.throw(EncryptionConfigError, "Object 'apiVersion' is missing")
    })

    it('without changing the one in force', () => {
      const encryption = open(recorded.configs.gcm32 as object)
      const transformer = encryption.transformerFor(SECRETS)
      const masked = stored.refusals.find(({ case: what }) => what === 'masked by all')?.config as object
      expect(() => encryption.configure(parse(masked))).to.throw(EncryptionConfigError)
      expect(transformer.toStorage(Buffer.from('x'), KEY).toString('latin1')).to.match(/^k8s:enc:aesgcm:v1:a32:/)
    })
  })

  it('reports transformations by provider and key', () => {
    const seen: string[] = []
    const encryption = new Encryption((resource, direction, prefix, _, failed) =>
      seen.push(`${resource} ${direction} ${prefix}${failed ? ' failed' : ''}`),
    )
    encryption.configure(parse(recorded.configs['identity first'] as object))
    const transformer = encryption.transformerFor(SECRETS)
    transformer.toStorage(Buffer.from('x'), KEY)
    transformer.fromStorage(Buffer.from('x'), KEY)
    expect(() => transformer.fromStorage(Buffer.from('k8s:enc:aescbc:v1:a32:xxx'), KEY)).to.throw(TransformError)
    expect(() => transformer.fromStorage(Buffer.from('k8s:enc:kms:v2:xxx'), KEY)).to.throw(TransformError, 'no matching prefix found')
    expect(seen).to.deep.equal([
      'secrets to_storage ',
      'secrets from_storage identity',
      'secrets from_storage a32: failed',
      'secrets from_storage k8s:enc:aescbc:v1: failed',
      'secrets from_storage unknown failed',
    ])
  })

  it('applies a new configuration immediately', () => {
    const encryption = open(recorded.configs.gcm32 as object)
    const transformer = encryption.transformerFor(SECRETS)
    const old = transformer.toStorage(Buffer.from('x'), KEY)
    encryption.configure(parse(recorded.configs['gcm rotated'] as object))
    expect(transformer.fromStorage(old, KEY)).to.deep.equal({ value: Buffer.from('x'), stale: true })
    expect(transformer.fromStorage(transformer.toStorage(Buffer.from('x'), KEY), KEY).stale).to.equal(false)
  })

  it('stores values unchanged without a configuration, and refuses encrypted ones', () => {
    const transformer = new Encryption().transformerFor(SECRETS)
    expect(transformer.toStorage(Buffer.from('x'), KEY).toString()).to.equal('x')
    expect(() => transformer.fromStorage(Buffer.from('k8s:enc:aescbc:v1:a:xxx'), KEY)).to.throw(
      TransformError,
      'identity transformer tried to read encrypted data',
    )
  })
})
