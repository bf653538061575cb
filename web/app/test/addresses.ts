import { endpoints } from '@keyferry/contract'

// The build of the app sets ADDRESSES.
for (const [name, { method, path }] of Object.entries(endpoints))
  Object.assign(ADDRESSES, { [name]: `${method} ${path}` })
