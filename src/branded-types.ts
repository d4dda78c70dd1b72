// Types that differ by name only. A brand costs nothing at run time.

declare const brand: unique symbol

export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
