import { join } from 'node:path'
import { openInProcess } from '../support/in-process-server.ts'
import { fixtureAreas, PROBE_FLAGS, readFixtures } from '../support/probe/fixtures.ts'
import { probe } from '../support/probe/suite.ts'

describe('probe, on the embedded store', () =>
  probe(fixtureAreas().flatMap(readFixtures), async () => {
    const server = await openInProcess(PROBE_FLAGS)
    const stop = async (): Promise<void> => {
      await server.stop()
      server.remove()
    }
    return { kubeconfig: join(server.directory, 'kubeconfig'), stop }
  }))
