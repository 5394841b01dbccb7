import type { Server } from 'node:net'
import { errorCode } from '../../lib/error-code.ts'

/**
 * Resolves when the server listens. Rejects with an Error that has the system's code if the address cannot be used; the
 * message names the flags that choose another one.
 */
export function listening(server: Pick<Server, 'once' | 'off' | 'listen'>, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (error: Error): void => reject(explained(error, `${host}:${port}`))
    server.once('error', refused)
    server.listen(port, host, () => {
      server.off('error', refused)
      resolve()
    })
  })
}

function explained(error: Error, address: string): Error {
  const code = errorCode(error)
  if (code !== 'EADDRINUSE') return error
  const text = `${address} is in use by another server: stop it, or choose another port (--secure-port, --console-port, --insecure-port)`
  return Object.assign(new Error(text, { cause: error }), { code })
}
