// Mirrors the rows of an image into other memory. A refusal becomes an
// exception.
//
// c++ mirror.cc $(pkg-config --cflags --libs libflip)
#include <flip.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

struct FreeFlip {
    void operator()(flip *description) const
    {
        flip_free(description);
    }
};

using Flip = std::unique_ptr<flip, FreeFlip>;

static Flip reverse(const flip_tensor &data, const flip_tensor &axes)
{
    char error[FLIP_ERROR_SIZE];
    Flip made(flip_reverse(&data, &axes, error));

    if (!made)
        throw std::runtime_error(error);
    return made;
}

int main()
{
    const int64_t dims[] = {2, 3, 1}, one = 1;
    const int32_t columns = 1, none = 3;
    const unsigned char image[] = {1, 2, 3, 4, 5, 6};
    unsigned char mirrored[sizeof(image)];
    const flip_tensor data = {FLIP_UINT8, 3, dims, nullptr};

    flip_copy(reverse(data, {FLIP_INT32, 1, &one, &columns}).get(), image,
              mirrored, nullptr);
    for (unsigned char pixel : mirrored)
        std::printf("%d ", pixel);
    try {
        reverse(data, {FLIP_INT32, 1, &one, &none});
    } catch (const std::runtime_error &error) {
        std::printf("\n%s\n", error.what());
    }
}
