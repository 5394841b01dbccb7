import type { GroupResource } from '../../api/meta/v1.types.ts'
import { invariant } from '../../lib/invariant.ts'
import { parseGroupResource, qualifiedResource } from '../../meta/gvk.ts'
import { aesCbc } from './aes-cbc.ts'
import { aesGcm } from './aes-gcm.ts'
import type { EncryptionConfig, EncryptionKey, EncryptionProvider } from './encryption-config.ts'
import { EncryptionConfigError } from './encryption-file.ts'
import { decodeSecret } from './encryption-validation.ts'
import { identity } from './identity.ts'
import type { KmsProvider } from './kms/provider.ts'
import { type Direction, type Prefixed, prefixed, type TransformObserver } from './prefixed.ts'
import { secretbox } from './secretbox.ts'
import type { Transformer } from './transformer.ts'

/** Prefix of values that a key management service encrypts. The service's name and a colon follow. */
const KMS_PREFIX = Buffer.from('k8s:enc:kms:v2:')

type Services = ReadonlyMap<string, KmsProvider>

/** Called after each transformation of a configured resource, with the prefix of the provider and key. */
export type EncryptionObserver = (resource: string, direction: Direction, prefix: string, seconds: number, failed: boolean) => void

const unobserved: EncryptionObserver = () => {}

/**
 * Encryption at rest: the transformers of all resources, according to a configuration. The configuration can be
 * replaced at any time, and transformers that were handed out follow it. Without one, nothing is encrypted, and
 * encrypted values cannot be read.
 */
export class Encryption {
  readonly #observer: EncryptionObserver
  #services: Services = new Map()
  #rules: ReadonlyMap<string, readonly EncryptionProvider[]> = new Map()
  /** Transformers by resource, such as `secrets` and `deployments.apps`. */
  #made = new Map<string, Transformer>()

  constructor(observer: EncryptionObserver = unobserved) {
    this.#observer = observer
  }

  /**
   * Replaces the configuration. Throws EncryptionConfigError without a change if an earlier rule hides a later one.
   * `services`: the key management services that the configuration names.
   */
  configure(config: EncryptionConfig, services: Services = new Map()): void {
    this.#rules = mergeRules(config)
    this.#services = services
    this.#made = new Map()
  }

  /**
   * Returns the transformer of a resource. A rule for the resource takes precedence over one for its group (`*.apps`),
   * and that over one for all (`*.*`).
   */
  transformerFor(of: GroupResource): Transformer {
    const name = qualifiedResource(of)
    return {
      isIdentity: () => this.#present(of, name) === identity,
      toStorage: (value, key) => this.#present(of, name).toStorage(value, key),
      fromStorage: (stored, key) => this.#present(of, name).fromStorage(stored, key),
    }
  }

  /**
   * Makes the key management service decrypt the data key of a stored value. Undefined if the key is known, or if the
   * value needs no service. Never rejects.
   */
  prepare(stored: Buffer): Promise<void> | undefined {
    if (this.#services.size === 0 || KMS_PREFIX.compare(stored, 0, KMS_PREFIX.length) !== 0) return undefined
    const end = stored.indexOf(':', KMS_PREFIX.length)
    if (end < 0) return undefined
    return this.#services.get(stored.toString('utf8', KMS_PREFIX.length, end))?.prepare(stored.subarray(end + 1))
  }

  #present(of: GroupResource, name: string): Transformer {
    let transformer = this.#made.get(name)
    if (transformer === undefined) {
      const providers =
        this.#rules.get(encryptionRuleKey(of)) ?? this.#rules.get(encryptionRuleKey({ ...of, resource: '*' })) ?? this.#rules.get('*.*')
      transformer =
        providers === undefined ? identity : transformerOf(providers, this.#services, (...seen) => this.#observer(name, ...seen))
      this.#made.set(name, transformer)
    }
    return transformer
  }
}

/** Key of a rule. It has the dot also for the core group, so that `*.` is one. */
const encryptionRuleKey = ({ group, resource }: GroupResource): string => `${resource}.${group}`

/** Merges the rules by resource. A resource in several rules has the providers of all of them, in order. */
function mergeRules({ resources }: EncryptionConfig): Map<string, readonly EncryptionProvider[]> {
  const rules = new Map<string, readonly EncryptionProvider[]>()
  for (const rule of resources) {
    for (const of of rule.resources.map(parseGroupResource)) {
      for (const wider of [encryptionRuleKey({ ...of, resource: '*' }), '*.*'])
        if (rules.has(wider)) throw masked(of.group === '' && of.resource === '*' ? '*.' : qualifiedResource(of), wider)
      rules.set(encryptionRuleKey(of), [...(rules.get(encryptionRuleKey(of)) ?? []), ...rule.providers])
    }
  }
  return rules
}

const masked = (resource: string, by: string) =>
  new EncryptionConfigError(
    `error while building transformers: resource ${JSON.stringify(resource)} is masked by earlier rule ${JSON.stringify(by)}`,
  )

const transformerOf = (providers: readonly EncryptionProvider[], services: Services, observer: TransformObserver): Transformer =>
  prefixed(atLeastOne(providers.map(provider => providerOf(provider, services, observer))), 'no matching prefix found', observer)

function providerOf(
  { aescbc, aesgcm, secretbox: box, kms }: EncryptionProvider,
  services: Services,
  observer: TransformObserver,
): Prefixed {
  if (kms) {
    const transformer = services.get(kms.name)
    invariant(transformer, 'a key management service is opened before it is configured')
    return { prefix: `${KMS_PREFIX}${kms.name}:`, transformer }
  }
  if (aesgcm) return { prefix: 'k8s:enc:aesgcm:v1:', transformer: keyed('AES', aesgcm.keys, aesGcm, observer) }
  if (aescbc) return { prefix: 'k8s:enc:aescbc:v1:', transformer: keyed('AES', aescbc.keys, aesCbc, observer) }
  if (box) return { prefix: 'k8s:enc:secretbox:v1:', transformer: keyed('Secretbox', box.keys, secretbox, observer) }
  return { prefix: '', transformer: identity }
}

function keyed(
  provider: string,
  keys: readonly EncryptionKey[],
  make: (secret: Buffer) => Transformer,
  observer: TransformObserver,
): Transformer {
  const entries = keys.map(({ name, secret }) => ({ prefix: `${name}:`, transformer: make(decodeSecret(secret) ?? Buffer.alloc(0)) }))
  return prefixed(atLeastOne(entries), `no matching key was found for the provided ${provider} transformer`, observer)
}

/** Validation guarantees that a rule has providers, and a provider keys. */
function atLeastOne([first, ...others]: readonly Prefixed[]): readonly [Prefixed, ...Prefixed[]] {
  invariant(first, 'a transformer of no providers or keys')
  return [first, ...others]
}
