import type { DecryptRequest, EncryptResponse, StatusResponse } from './messages.ts'

/** A key management service (KMS v2). Calls reject with a SocketCallError, by their deadline at the latest. */
export interface KeyService {
  /** Returns the service's state and the id of its present key. */
  status(): Promise<StatusResponse>
  /** Encrypts a key or seed. `uid` identifies the call in logs of the service. */
  encrypt(plaintext: Buffer, uid: string): Promise<EncryptResponse>
  /** Returns the plaintext of an earlier `encrypt`, whose key id and annotations the request repeats. */
  decrypt(request: DecryptRequest): Promise<Buffer>
  /** Closes the connection. */
  close(): void
}
