import { parseServiceAddresses, type ServiceAddresses } from '../admission/webhooks/service-address.ts'
import { errorMessage } from '../lib/error-message.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** Routing to services and aggregated servers. Files are paths. */
export interface ServiceConfig {
  readonly addresses: ServiceAddresses
  readonly toEndpoints: boolean
  readonly proxyClient: { readonly cert: string; readonly key: string } | undefined
  readonly refusesRedirects: boolean
}

/** Parses the service flags. Throws FlagError. */
export const servicesOf = (read: FlagReader): ServiceConfig => ({
  addresses: addressesOf(read.list('service-addresses')),
  toEndpoints: read.bool('enable-aggregator-routing'),
  proxyClient: read.pair('proxy-client-cert-file', 'proxy-client-key-file'),
  refusesRedirects: read.bool('aggregator-reject-forwarding-redirect'),
})

/** Parses --service-addresses. Throws FlagError. */
function addressesOf(entries: readonly string[]): ServiceAddresses {
  try {
    return parseServiceAddresses(entries)
  } catch (error) {
    throw new FlagError(`--service-addresses: ${errorMessage(error)}`)
  }
}
