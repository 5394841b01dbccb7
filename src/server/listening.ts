import type { Server } from 'node:net'

/** Resolves when the server listens. Rejects where the address can't be had. */
export function listening(server: Pick<Server, 'once' | 'off' | 'listen'>, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
