/** A secret, and its name, which is part of the prefix of values that it encrypts. */
export interface EncryptionKey {
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
  readonly name: string
  /** `unix:///path`. */
  readonly endpoint: string
  /** Timeout of a call, as a Go duration. Default: `3s`. */
  readonly timeout?: string
}

/** One way to store values. Exactly one member is set. */
export interface EncryptionProvider {
  readonly aesgcm?: { readonly keys: readonly EncryptionKey[] }
  readonly aescbc?: { readonly keys: readonly EncryptionKey[] }
  readonly secretbox?: { readonly keys: readonly EncryptionKey[] }
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
