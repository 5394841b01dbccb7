import { chosenKubeconfig } from '../clients/chosen-kubeconfig.ts'
import { type ClusterAccess, readKubeconfig } from '../clients/cluster-access.ts'
import { ClusterClient } from '../clients/cluster-client.ts'
import type { Arguments } from '../lib/arguments.ts'

/** Asks the server of `--kubeconfig` and `--context`, or of the kubeconfig that is found. `address`: where, of the kubeconfig's address. Throws ArgumentError, and what asking throws. */
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
