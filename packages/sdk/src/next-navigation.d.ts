/** What the door to Next.js uses of it. The package is large, and its own types are used where the door is tested. */
declare module "next/navigation.js" {
  export function usePathname(): string | null;
  export function useSearchParams(): { toString(): string } | null;
}
