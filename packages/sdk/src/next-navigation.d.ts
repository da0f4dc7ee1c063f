/** The parts of next/navigation that this package uses. Next.js is too large for a development dependency; the tests of fresh apps use its real types. */
declare module "next/navigation.js" {
  export function usePathname(): string | null;
  export function useSearchParams(): { toString(): string } | null;
}
