import type { DecryptRequest, EncryptResponse, StatusResponse } from './messages.ts'

/** A key management service (KMS v2). Calls reject with a SocketCallError, by their deadline at the latest. */
export interface KeyService {
  status(): Promise<StatusResponse>
  encrypt(plaintext: Buffer, uid: string): Promise<EncryptResponse>
  decrypt(request: DecryptRequest): Promise<Buffer>
  close(): void
}
