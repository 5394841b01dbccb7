/** Name of the ServiceCIDR that represents `--service-cluster-ip-range`. */
export const DEFAULT_SERVICE_CIDR = 'kubernetes'
