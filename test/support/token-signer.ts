import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import * as grpc from '@grpc/grpc-js'
import protobuf from 'protobufjs'

const API = protobuf.parse(
  `syntax = "proto3";
  message SignJWTRequest { string claims = 1; }
  message SignJWTResponse { string header = 1; string signature = 2; }
  message FetchKeysRequest {}
  message Timestamp { int64 seconds = 1; int32 nanos = 2; }
  message Key { string key_id = 1; bytes key = 2; bool exclude_from_oidc_discovery = 3; }
  message FetchKeysResponse { repeated Key keys = 1; Timestamp data_timestamp = 2; int64 refresh_hint_seconds = 3; }
  message MetadataRequest {}
  message MetadataResponse { int64 max_token_expiration_seconds = 1; }`,
  { keepCase: true },
).root

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

const codec = (name: string) => {
  const type = API.lookupType(name)
  return {
    serialize: (message: object): Buffer => Buffer.from(type.encode(type.fromObject(message)).finish()),
    deserialize: (bytes: Buffer): { claims?: string } => type.toObject(type.decode(bytes)),
  }
}

const method = (service: string, name: string, message: string) => ({
  path: `/${service}.ExternalJWTSigner/${name}`,
  requestStream: false,
  responseStream: false,
  requestDeserialize: codec(`${message}Request`).deserialize,
  requestSerialize: codec(`${message}Request`).serialize,
  responseSerialize: codec(`${message}Response`).serialize,
  responseDeserialize: codec(`${message}Response`).deserialize,
})

/** Listens on the path. `version`: of the protocol. */
export async function startTokenSigner(path: string, version: 'v1' | 'v1alpha1'): Promise<TokenSigner> {
  const server = new grpc.Server()
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
    close: () => server.forceShutdown(),
  }
  signer.rotate('first')
  type Call = grpc.ServerUnaryCall<{ claims?: string }, object>
  const serve =
    (name: keyof TokenSigner['calls'], answer: (claims: string) => object) =>
    ({ request }: Call, done: grpc.sendUnaryData<object>): void => {
      signer.calls[name]++
      if (signer.failure === undefined) done(null, answer(request.claims ?? ''))
      else done({ code: grpc.status.PERMISSION_DENIED, details: signer.failure })
    }
  server.addService(
    { Sign: method(version, 'Sign', 'SignJWT'), FetchKeys: method(version, 'FetchKeys', 'FetchKeys'), Metadata: method(version, 'Metadata', 'Metadata') },
    {
      Sign: serve('Sign', claims => {
        const header = Buffer.from(JSON.stringify(signer.header)).toString('base64url')
        const made = sign('sha256', Buffer.from(`${header}.${claims}`), { key: signer.privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
        return { header, signature: signer.signature ?? made }
      }),
      FetchKeys: serve('FetchKeys', () => ({
        keys: signer.keys,
        ...(signer.dataTimestamp && { data_timestamp: signer.dataTimestamp }),
        refresh_hint_seconds: signer.refreshHintSeconds,
      })),
      Metadata: serve('Metadata', () => ({ max_token_expiration_seconds: signer.maxTokenExpirationSeconds })),
    },
  )
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${path}`, grpc.ServerCredentials.createInsecure(), error => (error ? reject(error) : resolve())),
  )
  return signer
}
