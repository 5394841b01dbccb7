/** Name of the ServiceCIDR that stands for `--service-cluster-ip-range`. */
export const DEFAULT_SERVICE_CIDR = 'kubernetes'
