import * as grpc from '@grpc/grpc-js'
import { etcdMethods, readEtcdMessage } from './etcd-messages.ts'

/** A message that went through the proxy. 64-bit numbers are texts, bytes are in base64. */
export interface RecordedMessage {
  /** `KV/Range` */
  readonly call: string
  readonly message: Record<string, unknown>
}

/** Stands between a server and its store, passes every call of etcd's API on and records what both say. */
export interface RecordingProxy {
  readonly url: string
  readonly requests: readonly RecordedMessage[]
  readonly responses: readonly RecordedMessage[]
  close(): void
}

const identity = (bytes: Buffer): Buffer => bytes
const UNBOUNDED = { 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 }

/** `target`: `http://127.0.0.1:2379` */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const client = new grpc.Client(new URL(target).host, grpc.credentials.createInsecure(), UNBOUNDED)
  const server = new grpc.Server(UNBOUNDED)
  const requests: RecordedMessage[] = []
  const responses: RecordedMessage[] = []
  for (const { service, method, request, response, isStream } of etcdMethods()) {
    const path = `/etcdserverpb.${service}/${method}`
    const call = `${service}/${method}`
    const bytes = { requestSerialize: identity, requestDeserialize: identity, responseSerialize: identity, responseDeserialize: identity }
    const definition = { path, requestStream: isStream, responseStream: isStream, ...bytes }
    const asked = (message: Buffer) => void requests.push({ call, message: readEtcdMessage(request, message) })
    const told = (message: Buffer) => void responses.push({ call, message: readEtcdMessage(response, message) })
    const unary: grpc.handleUnaryCall<Buffer, Buffer> = (incoming, done) => {
      asked(incoming.request)
      const { deadline, metadata } = { deadline: incoming.getDeadline(), metadata: incoming.metadata }
      client.makeUnaryRequest(path, identity, identity, incoming.request, metadata, { deadline }, (error, message) => {
        if (message) told(message)
        done(error, message)
      })
    }
    const stream: grpc.handleBidiStreamingCall<Buffer, Buffer> = incoming => {
      const outgoing = client.makeBidiStreamRequest(path, identity, identity, incoming.metadata)
      incoming.on('data', (message: Buffer) => {
        asked(message)
        outgoing.write(message)
      })
      incoming.on('end', () => outgoing.end()).on('cancelled', () => outgoing.cancel())
      outgoing.on('data', (message: Buffer) => {
        told(message)
        incoming.write(message)
      })
      outgoing.on('error', error => incoming.destroy(error)).on('end', () => incoming.end())
    }
    server.addService({ [method]: definition }, { [method]: isStream ? stream : unary })
  }
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => (error ? reject(error) : resolve(port))),
  )
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    responses,
    close() {
      server.forceShutdown()
      client.close()
    },
  }
}
