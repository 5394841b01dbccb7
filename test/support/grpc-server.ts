import * as grpc from '@grpc/grpc-js'
import protobuf from 'protobufjs'

/** A unary method. Errors are sent to the client: a `GrpcFailure`, or another error as UNKNOWN. */
export interface UnaryMethod<Request> {
  readonly request: string
  readonly response: string
  answer(request: Request): object
}

/** A code other than UNKNOWN for a call that fails. */
export class GrpcFailure extends Error {
  readonly code: grpc.status

  constructor(code: grpc.status, details: string) {
    super(details)
    this.code = code
  }
}

interface GrpcService<Request> {
  /** In the language of protocol buffers. */
  readonly messages: string
  /** With its package: `v2.KeyManagementService`. */
  readonly name: string
  /** Methods by name. */
  readonly methods: Readonly<Record<string, UnaryMethod<Request>>>
  /** Members that a message lacks have their zero values in a request. Otherwise they are absent. */
  readonly defaults?: boolean
}

export interface GrpcServer {
  close(): void
}

/**
 * A service of gRPC on a unix socket, in this process. Requests have the members of messages as they are called there.
 */
export async function startGrpcServer<Request>(
  path: string,
  { messages, name, methods, defaults = false }: GrpcService<Request>,
): Promise<GrpcServer> {
  const { root } = protobuf.parse(messages, { keepCase: true })
  const codec = (message: string) => {
    const type = root.lookupType(message)
    return {
      serialize: (value: object): Buffer => Buffer.from(type.encode(type.fromObject(value)).finish()),
      deserialize: (bytes: Buffer) => type.toObject(type.decode(bytes), { defaults }) as Request & object,
    }
  }
  const definition: Record<string, grpc.MethodDefinition<Request & object, object>> = {}
  const handlers: Record<string, grpc.handleUnaryCall<Request, object>> = {}
  for (const [method, { request, response, answer }] of Object.entries(methods)) {
    const [asked, answered] = [codec(request), codec(response)]
    definition[method] = {
      path: `/${name}/${method}`,
      requestStream: false,
      responseStream: false,
      requestDeserialize: asked.deserialize,
      requestSerialize: asked.serialize,
      responseSerialize: answered.serialize,
      responseDeserialize: answered.deserialize,
    }
    handlers[method] = ({ request: message }, done) => {
      try {
        done(null, answer(message))
      } catch (error) {
        done({ code: error instanceof GrpcFailure ? error.code : grpc.status.UNKNOWN, details: (error as Error).message })
      }
    }
  }
  const server = new grpc.Server()
  server.addService(definition, handlers)
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${path}`, grpc.ServerCredentials.createInsecure(), error => (error ? reject(error) : resolve())),
  )
  return { close: () => server.forceShutdown() }
}
