import type { APIService } from '../../api/apiregistration/v1.types.ts'
import type { ApiClient } from '../../clients/api-client.ts'
import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import { isStatusError } from '../../meta/status.ts'
import { API_SERVICES } from '../shared/kinds.ts'

const GROUP = 'metrics.k8s.io'
/**
 * Service of the metrics API, which this process serves. The same as that of the metrics-server of Kubernetes, which
 * may so be installed beside it.
 */
const SERVICE = { namespace: 'kube-system', name: 'metrics-server', port: 443 }

/** Registers the metrics API, unless another server is registered. Never rejects. v1 exists from 1.37 on. */
export async function registerMetrics(client: ApiClient, release: Release, logger: Logger): Promise<void> {
  for (const version of [...(isSince(release, '1.37') ? ['v1'] : []), 'v1beta1']) {
    const name = `${version}.${GROUP}`
    try {
      await client.create(API_SERVICES, metricsService(name, version))
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) logger.warn('the metrics API was not registered', { name, error: errorMessage(error) })
    }
  }
}

const metricsService = (name: string, version: string): APIService => ({
  kind: 'APIService',
  apiVersion: 'apiregistration.k8s.io/v1',
  metadata: { name, labels: { 'k8s-app': 'metrics-server' } },
  spec: {
    group: GROUP,
    version,
    service: SERVICE,
    insecureSkipTLSVerify: true,
    groupPriorityMinimum: 100,
    versionPriority: version === 'v1' ? 200 : 100,
  },
  status: {},
})
