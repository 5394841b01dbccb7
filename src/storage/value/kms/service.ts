import type { DecryptRequest, EncryptResponse, StatusResponse } from './messages.ts'

/** A key management service (KMS v2). Calls reject with a ServiceError, by their deadline at the latest. */
export interface KeyService {
  status(): Promise<StatusResponse>
  encrypt(plaintext: Buffer, uid: string): Promise<EncryptResponse>
  decrypt(request: DecryptRequest): Promise<Buffer>
  close(): void
}

/** A call that failed. `status`: the name of gRPC's code. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError'
  readonly status: string

  constructor(status: string, details: string) {
    super(`rpc error: code = ${status} desc = ${details}`)
    this.status = status
  }
}
