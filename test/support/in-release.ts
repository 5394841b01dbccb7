import { createControlPlane } from '../../src/control-plane/control-plane.ts'
import { parseGates } from '../../src/lifecycle/gates.ts'
import type { Release } from '../../src/lifecycle/release.ts'
import { PlainTextError } from '../../src/meta/plain-text-error.ts'
import { StatusError } from '../../src/meta/status.ts'
import { gitVersion } from '../../src/server/version.ts'
import { apiHandler } from './api-handler.ts'
import { controlPlaneOptions } from './control-plane-options.ts'
import { FakeExchange, type FakeRequest } from './exchange.ts'
import type { MemoryBackend } from './memory-backend.ts'
import { patience } from './waiting.ts'

/** Response: the body, and the texts of `Warning` headers. */
export interface Answer {
  readonly status: number
  readonly json: unknown
  readonly warnings: readonly string[]
}

/**
 * Sends a request to the server of a release. An error becomes a Status. A watch ends with its first event, which is
 * the response.
 */
export type Call = (path: string, request?: FakeRequest) => Promise<Answer>

/** Message for an unknown path while custom kinds may be missing. */
const PATHS_MISSING = 'the request has been made before all known HTTP paths have been installed, please try again'

/**
 * Runs a server of a release on a store that passes from one release to the next. `served` are entries of
 * `--runtime-config`, such as `api/all`.
 */
export async function inRelease<T>(
  backend: MemoryBackend,
  release: Release,
  ask: (call: Call) => Promise<T>,
  gates: Record<string, boolean> = {},
  served: readonly string[] = [],
): Promise<T> {
  backend.down = false
  const plane = createControlPlane(
    controlPlaneOptions(backend, {
      release: {
        emulatedVersion: release,
        gates: parseGates(release, new Map(Object.entries(gates))),
        runtimeConfig: new Map(served.map(key => [key, true])),
      },
      storage: { fingerprint: gitVersion(release) },
    }),
  )
  await plane.synced(patience())
  try {
    return await ask(async (path, request = {}) => {
      const exchange = new FakeExchange(path, request)
      const { streamed, warnings } = exchange
      streamed.onWrite = () => exchange.client.abort()
      try {
        await apiHandler(plane.api)(exchange)
        return streamed.text === '' ? exchange : { status: 200, json: JSON.parse(streamed.text.split('\n')[0] ?? ''), warnings }
      } catch (error) {
        if (error instanceof PlainTextError) return { status: error.code, json: error.message, warnings: exchange.warnings }
        if (!(error instanceof StatusError)) throw error
        // Only a started server knows all custom kinds. Until then an unknown path is 503.
        if (error.status.message === PATHS_MISSING) return { status: 404, json: error.status, warnings: exchange.warnings }
        return { status: error.status.code ?? 0, json: error.status, warnings: exchange.warnings }
      }
    })
  } finally {
    await plane.close()
  }
}
