import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { startGrpcServer, type UnaryMethod } from './grpc-server.ts'

/** k8s.io/kms, apis/v2/api.proto. */
const MESSAGES = `
  syntax = "proto3";
  package v2;
  message StatusRequest {}
  message StatusResponse { string version = 1; string healthz = 2; string key_id = 3; }
  message DecryptRequest { bytes ciphertext = 1; string uid = 2; string key_id = 3; map<string, bytes> annotations = 4; }
  message DecryptResponse { bytes plaintext = 1; }
  message EncryptRequest { bytes plaintext = 1; string uid = 2; }
  message EncryptResponse { bytes ciphertext = 1; string key_id = 2; map<string, bytes> annotations = 3; }
`

/** A key management service over a unix socket, whose keys are bytes by their ids. */
export interface KmsPlugin {
  readonly endpoint: string
  /** Calls so far, by name. */
  readonly calls: { Status: number; Encrypt: number; Decrypt: number }
  keyId: string
  healthz: string
  /** Decrypts nothing of these keys. */
  readonly lost: Set<string>
  close(): void
}

/** The members of all of them. */
interface Request {
  readonly plaintext: Buffer
  readonly ciphertext: Buffer
  readonly key_id: string
  readonly annotations: Readonly<Record<string, Buffer>>
}

/** By whatever id: the same key for the same id, in every plugin. */
const keyOf = (id: string): Buffer => Buffer.alloc(32, id)
const ANNOTATION = 'nonce.kms.example.com'

function encrypt(plaintext: Buffer, keyId: string) {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(keyId), nonce)
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
  return { ciphertext, key_id: keyId, annotations: { [ANNOTATION]: nonce } }
}

function decrypt(ciphertext: Buffer, keyId: string, nonce: Buffer) {
  const decipher = createDecipheriv('aes-256-gcm', keyOf(keyId), nonce).setAuthTag(ciphertext.subarray(-16))
  return { plaintext: Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]) }
}

/** Listens on the path. */
export async function startKmsPlugin(path: string, keyId = 'one'): Promise<KmsPlugin> {
  const plugin: KmsPlugin = {
    endpoint: `unix://${path}`,
    calls: { Status: 0, Encrypt: 0, Decrypt: 0 },
    keyId,
    healthz: 'ok',
    lost: new Set(),
    close: () => server.close(),
  }
  const serve = (name: keyof KmsPlugin['calls'], answer: (request: Request) => object): UnaryMethod<Request> => ({
    request: `v2.${name}Request`,
    response: `v2.${name}Response`,
    answer(request) {
      plugin.calls[name]++
      return answer(request)
    },
  })
  const server = await startGrpcServer(path, {
    messages: MESSAGES,
    name: 'v2.KeyManagementService',
    defaults: true,
    methods: {
      Status: serve('Status', () => ({ version: 'v2', healthz: plugin.healthz, key_id: plugin.keyId })),
      Encrypt: serve('Encrypt', ({ plaintext }) => encrypt(plaintext, plugin.keyId)),
      Decrypt: serve('Decrypt', ({ ciphertext, key_id: id, annotations }) => {
        if (plugin.lost.has(id)) throw new Error(`no key ${String(id)}`)
        return decrypt(ciphertext, id, annotations[ANNOTATION] ?? Buffer.alloc(12))
      }),
    },
  })
  return plugin
}
