import { chosenKubeconfig } from '../clients/chosen-kubeconfig.ts'
import { type ClusterAccess, readKubeconfig } from '../clients/cluster-access.ts'
import { ClusterClient } from '../clients/cluster-client.ts'
import type { Arguments } from '../lib/arguments.ts'

/**
 * Calls `ask` with a client of the server that `--kubeconfig` and `--context` select, or of the default kubeconfig.
 * Throws ArgumentError, and whatever `ask` throws.
 * @param address changes the server's address.
 */
export async function withServer<T>(
  given: Arguments,
  ask: (client: ClusterClient, access: ClusterAccess) => Promise<T>,
  address = (url: URL): URL => url,
): Promise<T> {
  const access = readKubeconfig(chosenKubeconfig(given.value('kubeconfig')), given.value('context'))
  const client = new ClusterClient({ ...access, server: address(access.server) })
  try {
    return await ask(client, access)
  } finally {
    client.close()
  }
}
