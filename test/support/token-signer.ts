import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { status } from '@grpc/grpc-js'
import { GrpcFailure, startGrpcServer, type UnaryMethod } from './grpc-server.ts'

const MESSAGES = `syntax = "proto3";
  message SignJWTRequest { string claims = 1; }
  message SignJWTResponse { string header = 1; string signature = 2; }
  message FetchKeysRequest {}
  message Timestamp { int64 seconds = 1; int32 nanos = 2; }
  message Key { string key_id = 1; bytes key = 2; bool exclude_from_oidc_discovery = 3; }
  message FetchKeysResponse { repeated Key keys = 1; Timestamp data_timestamp = 2; int64 refresh_hint_seconds = 3; }
  message MetadataRequest {}
  message MetadataResponse { int64 max_token_expiration_seconds = 1; }`

interface SignerKey {
  readonly key_id: string
  readonly key: Buffer
  readonly exclude_from_oidc_discovery?: boolean
}

/** Another process that signs tokens, in this one; what it says may be changed. */
export interface TokenSigner {
  readonly path: string
  readonly calls: { Sign: number; FetchKeys: number; Metadata: number }
  keys: SignerKey[]
  header: Record<string, unknown>
  privateKey: KeyObject
  signature: string | undefined
  dataTimestamp: { seconds: number; nanos?: number } | undefined
  refreshHintSeconds: number
  maxTokenExpirationSeconds: number
  /** Fails calls. */
  failure: string | undefined
  /** Takes another key, under this id. */
  rotate(id: string, excluded?: boolean): void
  close(): void
}

/** Listens on the path. `version`: of the protocol. */
export async function startTokenSigner(path: string, version: 'v1' | 'v1alpha1'): Promise<TokenSigner> {
  const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signer: TokenSigner = {
    path,
    calls: { Sign: 0, FetchKeys: 0, Metadata: 0 },
    keys: [],
    header: {},
    privateKey: pair().privateKey,
    signature: undefined,
    dataTimestamp: { seconds: 1_700_000_000 },
    refreshHintSeconds: 600,
    maxTokenExpirationSeconds: 7200,
    failure: undefined,
    rotate(id, excluded = false) {
      const { privateKey, publicKey } = pair()
      signer.privateKey = privateKey
      signer.header = { alg: 'ES256', kid: id, typ: 'JWT' }
      signer.keys.push({ key_id: id, key: publicKey.export({ type: 'spki', format: 'der' }), exclude_from_oidc_discovery: excluded })
    },
    close: () => server.close(),
  }
  signer.rotate('first')
  const serve = (
    name: keyof TokenSigner['calls'],
    messages: string,
    answer: (claims: string) => object,
  ): UnaryMethod<{ claims?: string }> => ({
    request: `${messages}Request`,
    response: `${messages}Response`,
    answer({ claims = '' }) {
      signer.calls[name]++
      if (signer.failure !== undefined) throw new GrpcFailure(status.PERMISSION_DENIED, signer.failure)
      return answer(claims)
    },
  })
  const server = await startGrpcServer(path, {
    messages: MESSAGES,
    name: `${version}.ExternalJWTSigner`,
    methods: {
      Sign: serve('Sign', 'SignJWT', claims => {
        const header = Buffer.from(JSON.stringify(signer.header)).toString('base64url')
        const made = sign('sha256', Buffer.from(`${header}.${claims}`), { key: signer.privateKey, dsaEncoding: 'ieee-p1363' }).toString(
          'base64url',
        )
        return { header, signature: signer.signature ?? made }
      }),
      FetchKeys: serve('FetchKeys', 'FetchKeys', () => ({
        keys: signer.keys,
        ...(signer.dataTimestamp && { data_timestamp: signer.dataTimestamp }),
        refresh_hint_seconds: signer.refreshHintSeconds,
      })),
      Metadata: serve('Metadata', 'Metadata', () => ({ max_token_expiration_seconds: signer.maxTokenExpirationSeconds })),
    },
  })
  return signer
}
