import { createJsonClient, type JsonClient } from './json-client.ts'
import { createServerProcess, type ServerProcess } from './server-process.ts'

/** A server for all tests of a suite. */
export interface SuiteServer {
  readonly server: ServerProcess
  readonly client: JsonClient
}

/**
 * Starts a server on an empty store before the tests of a suite, and stops it after them. `prepare` is called once it
 * is ready. `flags`: as for `createServerProcess`.
 */
export function withServer(prepare: (made: SuiteServer) => Promise<void> | void, flags: readonly string[] = []): void {
  let server: ServerProcess | undefined
  let client: JsonClient | undefined
  before(async () => {
    server = await createServerProcess(flags)
    await server.start()
    client = createJsonClient(server.url)
    await prepare({ server, client })
  })
  after(async () => {
    client?.close()
    await server?.stop()
  })
}
