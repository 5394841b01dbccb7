/** A secret and the name that values carry when it was used. */
export interface EncryptionKey {
  readonly name: string
  /** Base64. */
  readonly secret: string
}

/** A key management service. */
export interface KmsConfig {
  /** `v2` is served. */
  readonly apiVersion?: string
  /** Of v1 alone. */
  readonly cachesize?: number
  readonly name: string
  /** `unix:///path`. */
  readonly endpoint: string
  /** Of a call, as Go writes durations. Absent: 3s. */
  readonly timeout?: string
}

/** One way to store values. Exactly one member is there. */
export interface EncryptionProvider {
  readonly aesgcm?: { readonly keys: readonly EncryptionKey[] }
  readonly aescbc?: { readonly keys: readonly EncryptionKey[] }
  readonly secretbox?: { readonly keys: readonly EncryptionKey[] }
  readonly identity?: object
  readonly kms?: KmsConfig
}

/** Some resources (`secrets`, `deployments.apps`, `*.apps`, `*.`, `*.*`) and how they are stored: the first provider writes, each of them reads. */
export interface EncryptionRule {
  readonly resources: readonly string[]
  readonly providers: readonly EncryptionProvider[]
}

/** apiserver.config.k8s.io/v1 EncryptionConfiguration: https://kubernetes.io/docs/reference/config-api/apiserver-config.v1/ */
export interface EncryptionConfig {
  readonly resources: readonly EncryptionRule[]
  /** Of the file's bytes: it shows whether the file has changed. */
  readonly hash: string
}
