/** A secret, and its name, which is part of the prefix of values that it encrypts. */
export interface EncryptionKey {
  /** Unique among the keys of a provider. */
  readonly name: string
  /** Base64. */
  readonly secret: string
}

/** A key management service. */
export interface KmsConfig {
  /** Only `v2` is served. */
  readonly apiVersion?: string
  /** Only allowed with v1. */
  readonly cachesize?: number
  /** Part of the prefix of stored values: a service that is renamed can no longer decrypt them. */
  readonly name: string
  /** `unix:///path`. */
  readonly endpoint: string
  /** Timeout of a call, as a Go duration. Default: `3s`. */
  readonly timeout?: string
}

/** One way to store values. Exactly one member is set. */
export interface EncryptionProvider {
  /** AES-GCM with random nonces. The keys should be rotated every 200,000 writes. */
  readonly aesgcm?: { readonly keys: readonly EncryptionKey[] }
  /** AES-CBC with PKCS#7 padding, which does not authenticate the values. */
  readonly aescbc?: { readonly keys: readonly EncryptionKey[] }
  /** XSalsa20 and Poly1305. */
  readonly secretbox?: { readonly keys: readonly EncryptionKey[] }
  /** Stores values as they are. */
  readonly identity?: object
  readonly kms?: KmsConfig
}

/**
 * Resources (`secrets`, `deployments.apps`, `*.apps`, `*.`, `*.*`) and their providers: the first one writes, and all
 * of them read.
 */
export interface EncryptionRule {
  readonly resources: readonly string[]
  readonly providers: readonly EncryptionProvider[]
}

/**
 * apiserver.config.k8s.io/v1 EncryptionConfiguration:
 * https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/
 */
export interface EncryptionConfig {
  readonly resources: readonly EncryptionRule[]
  /** Hash of the file's bytes, by which changes are detected. */
  readonly hash: string
}
