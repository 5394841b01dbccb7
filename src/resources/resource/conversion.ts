import type { KubeObject } from '../../meta/object.ts'

type ApiStruct = KubeObject['spec']

const present = (members: ApiStruct): ApiStruct => Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** v1beta1 and v1alpha3 have what v1beta2 puts into `exactly` in the request itself. */
function requestToHub({ name, firstAvailable, ...exactly }: ApiStruct): ApiStruct {
  const { deviceClassName, selectors, allocationMode, count, adminAccess, tolerations } = exactly
  const any = deviceClassName || selectors !== undefined || allocationMode || count || adminAccess !== undefined || tolerations !== undefined
  return present({ name, exactly: any ? { deviceClassName: '', ...exactly } : undefined, firstAvailable })
}

/** The class must be given there, and may be absent here. */
const requestFromHub = ({ name, exactly, firstAvailable }: ApiStruct): ApiStruct =>
  present({ name, ...exactly, deviceClassName: exactly?.deviceClassName || undefined, firstAvailable })

const changeRequests = (devices: ApiStruct | undefined, change: (request: ApiStruct) => ApiStruct): void => {
  if (devices?.requests) devices.requests = (devices.requests as ApiStruct[]).map(change)
}

/** `devicesOf`: what a claim, or a template of one, asks for. */
export const requestConversion = (devicesOf: (object: KubeObject) => ApiStruct | undefined) => ({
  toHub(object: KubeObject): KubeObject {
    changeRequests(devicesOf(object), requestToHub)
    return object
  },
  fromHub(object: KubeObject): KubeObject {
    changeRequests(devicesOf(object), requestFromHub)
    return object
  },
})

const changeValues = (map: Record<string, unknown> | undefined, change: (value: ApiStruct) => unknown): Record<string, unknown> | undefined =>
  map && Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]))

/** What a device is like stands in `basic`, and empty for nothing; v1alpha3 has capacities without a struct around them. */
export const sliceConversion = (name: 'v1beta1' | 'v1alpha3') => ({
  toHub(object: KubeObject): KubeObject {
    const { spec } = object
    if (!spec) return object
    if (!spec.nodeName) delete spec.nodeName
    if (!spec.allNodes) delete spec.allNodes
    if (spec.devices) spec.devices = (spec.devices as ApiStruct[]).map(device => deviceToHub(device, name))
    return object
  },
  fromHub(object: KubeObject): KubeObject {
    const { spec } = object
    if (spec?.devices) spec.devices = (spec.devices as ApiStruct[]).map(device => deviceFromHub(device, name))
    return object
  },
})

function deviceToHub({ name: deviceName, basic }: ApiStruct, version: string): ApiStruct {
  const capacity = version === 'v1alpha3' ? changeValues(basic?.capacity, value => ({ value })) : basic?.capacity
  return present({ name: deviceName, ...basic, capacity })
}

function deviceFromHub({ name: deviceName, ...basic }: ApiStruct, version: string): ApiStruct {
  const capacity = version === 'v1alpha3' ? changeValues(basic.capacity, ({ value }) => value) : basic.capacity
  return { name: deviceName, basic: present({ ...basic, capacity }) }
}
